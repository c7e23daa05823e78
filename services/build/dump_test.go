package build_test
import ("testing";"os";"fmt";"io/fs";"github.com/comporta-mcp/comporta/pkg/catalog"
 b "github.com/comporta-mcp/comporta/services/build/api"
 s "github.com/comporta-mcp/comporta/services/storage/api"
 o "github.com/comporta-mcp/comporta/services/observe/api")
func TestDump(t *testing.T){
 for n,f := range map[string]fs.FS{"build":b.Documents,"storage":s.Documents,"observe":o.Documents} {
  c,err:=catalog.Load(f,catalog.Options{Area:n}); if err!=nil {t.Error(err);continue}
  out,_:=os.Create("/tmp/dump/"+n+".txt"); tot:=0
  for _,e:=range catalog.Lint(c.Tools()){t.Error(e)}
  for _,x:=range c.Tools(){ outl:=0; if x.Output!=nil {outl=len(x.Output.Listed)}
   tot+=len(x.Input.Listed)+len(x.Description)+len(x.Name)+len(x.Title)+outl
   find:=""; if x.Find!=nil {find=fmt.Sprint(*x.Find)}
   op:="-"; if x.Operation!=nil{op="op:"+x.Operation.Probe}
   list:=""; if x.List!=nil{list=fmt.Sprint(*x.List)}
   fmt.Fprintf(out,"%s [%v] eff=%s idem=%v root=%s/%s/%s conf=%s appr=%s creates=%v find=%s %s retr=%s lim=%v unt=%v sec=%v list=%s body=%+v acc=%s in=%d full=%d out=%d\n   %s\n   IN %s\n   OUT %s\n",x.Name,x.Profiles,x.Effect,x.Idempotent,x.Root,x.RootArg,x.RootField,x.Confirm,x.Approval,x.Creates,find,op,x.Retrieve,x.Limits,x.Untrusted,x.Secrets,list,x.Binding.Body,x.Binding.Accepts,len(x.Input.Listed),len(x.Input.Full),outl,x.Description,x.Input.Listed, func() string{ if x.Output==nil {return ""}; return string(x.Output.Listed)}())
  }
  fmt.Println(n,len(c.Tools()),"tools",tot,"bytes; in+desc")
 }
}
