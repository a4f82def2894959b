1 |a x y:2 |b z
-1 0.5 |a x:0.25
1 tag'|n color=red size:3 # 
