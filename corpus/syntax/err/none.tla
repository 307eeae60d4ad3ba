There is nothing here.
