---- MODULE unicode ----
EXTENDS Naturals
VARIABLE x
Def ≜ 1
Logic ≜ (a ∧ b) ∨ ¬c ⇒ (d ≡ e) ∧ (d ⇔ e)
Quantified ≜ ∀ y ∈ S : ∃ z ∈ T : y ≠ z ∧ z ∉ U
Sets ≜ ℕ ∪ (ℤ ∩ ℝ)
Tuples ≜ ⟨1, 2⟩
Steps ≜ ⟨A⟩_v ∧ □[A]_v ∧ ◇a
Functions ≜ [y ∈ S ↦ [S → T]]
Prime ≜ x′ = x
Closure ≜ r⁺
Order ≜ a ≤ b ∧ b ≥ c ∧ a ⊆ b
Times ≜ a × b
Lists ≜ ∧ ∨ a
          ∨ b
        ∧ c
AfterWide ≜ ∧ "∧∧" = a ∨ ∧ b
                         ∧ c
            ∧ d
Leads ≜ a ↝ b
Dots ≜ 1 ‥ 2
Inst ≜ INSTANCE M WITH a ← b
====
