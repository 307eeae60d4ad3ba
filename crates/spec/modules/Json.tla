-------------------------------- MODULE Json --------------------------------
(* Values as JSON: records and functions are objects, sequences and sets are arrays. *)
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE TLC

ToJson(value) == CHOOSE s \in STRING : TRUE

ToJsonArray(value) == CHOOSE s \in STRING : TRUE

ToJsonObject(value) == CHOOSE s \in STRING : TRUE

(* TRUE, and the file holds the value. *)
JsonSerialize(absoluteFilename, value) == TRUE

(* The value that the file holds. *)
JsonDeserialize(absoluteFilename) == CHOOSE v : TRUE

(* The same with one value of a sequence in each line. *)
ndJsonSerialize(absoluteFilename, value) == TRUE

ndJsonDeserialize(absoluteFilename) == CHOOSE v : TRUE
=============================================================================
