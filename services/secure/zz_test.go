package secure_test
import ("testing";"fmt";"os";"sort";"github.com/comporta-mcp/comporta/pkg/catalog";"github.com/comporta-mcp/comporta/services/secure")
func TestZZ(t *testing.T){
 var names []string
 for _,p:=range secure.Area.Profiles {names=append(names,p.Name)}
 c,err:=catalog.Load(secure.Area.Documents,catalog.Options{Area:"secure",Profiles:names})
 if err!=nil{t.Fatal(err)}
 tot:=map[string]int{}; in:=0; de:=0
 type row struct{n string;i,d int}
 var rows []row
 for _,x:=range c.Tools(){ i,d:=len(x.Input.Listed),len(x.Description)+len(x.Title)+len(x.Name); in+=i;de+=d
  rows=append(rows,row{x.Name,i,d})
  tot[x.Profiles[0]]+=i+d+180; tot["all"]+=i+d+180
  if os.Getenv("SHOW")==x.Name {fmt.Println(string(x.Input.Listed)); fmt.Println(x.Description, x.Secrets, x.Untrusted, x.Root,x.RootArg,x.RootField,x.Find,x.Operation,x.Limits)}
 }
 sort.Slice(rows,func(a,b int)bool{return rows[a].i>rows[b].i})
 for _,r:=range rows{fmt.Println(r.i,r.d,r.n)}
 fmt.Println(tot,"tokens", tot["all"]/4, in/4,de/4)
}
