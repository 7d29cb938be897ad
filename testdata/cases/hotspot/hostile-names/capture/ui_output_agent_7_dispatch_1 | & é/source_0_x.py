```
wait() # ÿ ````
	end
