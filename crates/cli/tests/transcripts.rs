//! Transcripts of the command: those of the README and of the guide, and those in `transcripts`. To rewrite them, run
//! with `TRYCMD=overwrite` and read the difference.

#[test]
fn transcripts_are_true() {
    trycmd::TestCases::new()
        .env("COLUMNS", "100")
        .case("tests/transcripts/*.trycmd")
        .case("../../README.md")
        .case("../../docs/guide/*.md")
        .run();
}
