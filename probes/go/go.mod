module kilter.dev/probe

go 1.19
