--------------------------------- MODULE CSV ---------------------------------
(* Lines of values in a file. *)
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers

(* TRUE, and the file has one more line: the template with the values of the sequence for `%1$s` and so on. *)
CSVWrite(template, val, file) == TRUE

(* TRUE, and the file has one more line: the values of the record, after its names if there should be headers. *)
CSVWriteRecord(record, delim, headers, file) == TRUE

(* The lines of the file as a sequence of records with the given names. *)
CSVRead(columns, delimiter, file) == CHOOSE records : TRUE

(* The number of lines in the file; 0 if there is no file. *)
CSVRecords(file) == CHOOSE n : n \in Nat
=============================================================================
