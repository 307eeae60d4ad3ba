module kilter.dev/lock

go 1.19

require kilter.dev/probe v0.0.0

replace kilter.dev/probe => ../../../probes/go
