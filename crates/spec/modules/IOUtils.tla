------------------------------- MODULE IOUtils -------------------------------
(* Files, processes and the environment. *)
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE SequencesExt

LOCAL Outcome == [exitValue : Int, stdout : STRING, stderr : STRING]

(* TRUE, and the file holds the value in the checker's own form. *)
IOSerialize(val, absoluteFilename, compress) == TRUE

IODeserialize(absoluteFilename, compressed) == CHOOSE v : TRUE

(* Writes and reads text; the options say how. *)
Serialize(value, dest, options) == CHOOSE r \in Outcome : TRUE

Deserialize(src, options) == CHOOSE v : TRUE
-----------------------------------------------------------------------------
(* Runs a command, which is a sequence of strings; `%1$s` and so on in a template stand for the parameters. *)
IOExec(command) == CHOOSE r \in Outcome : TRUE

IOEnvExec(env, command) == CHOOSE r \in Outcome : TRUE

IOExecTemplate(commandTemplate, parameters) == CHOOSE r \in Outcome : TRUE

IOEnvExecTemplate(env, commandTemplate, parameters) == CHOOSE r \in Outcome : TRUE
-----------------------------------------------------------------------------
(* The environment variables as a record. *)
IOEnv == CHOOSE env \in [STRING -> STRING] : TRUE

(* The number that the string spells. *)
atoi(str) == CHOOSE i \in Int : ToString(i) = str

(* n with as many leading zeros as make it `width` characters long. *)
zeroPadN(n, width) ==
  LET digits == ToString(n)
      RECURSIVE Pad(_)
      Pad(s) == IF Len(s) >= width THEN s ELSE Pad("0" \o s)
  IN Pad(digits)
=============================================================================
