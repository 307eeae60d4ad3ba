module example.org/app

go 1.16

require example.org/ring v0.0.0

replace example.org/ring => ../ring
