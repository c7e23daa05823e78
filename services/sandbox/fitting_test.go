package sandbox

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
)

// fit makes a body that a schema made one that the platform takes: what it names
// exists, what must be there once is, texts that are read can be read.
func (b *box) fit(op *model.Operation, path string, body any) {
	b.t.Helper()
	data, ok := body.(map[string]any)
	if !ok || op.On == nil {
		return
	}
	if f := fitting[op.On.Template]; f != nil {
		f(b.t, data)
	}
	for _, ref := range references() {
		target := b.model.Collection(ref.To)
		if ref.From != op.On.Template || target == nil || len(target.Seeds) > 0 {
			continue
		}
		for _, named := range ref.Find(data) {
			named.Set(target.Key.Value(b.another(ref.To, path)))
		}
	}
	for _, ref := range references() { // those to what the documents have by themselves
		if target := b.model.Collection(ref.To); ref.From == op.On.Template && target != nil && len(target.Seeds) > 0 {
			for _, named := range ref.Find(data) {
				named.Set(target.Seeds[0][target.Key.Field])
			}
		}
	}
}

// another makes an item of a collection, where a path shares its parents.
func (b *box) another(template, path string) string {
	b.t.Helper()
	at, own := model.Steps(template), model.Steps(path)
	for i, step := range at {
		if model.IsParam(step) {
			at[i] = own[i]
		}
	}
	where := model.Concrete(at)
	ops := b.on(where)
	op := ops.of(model.Create)
	data := (&writer{}).body(op).(map[string]any)
	if !ops.c.Key.Generated {
		data[ops.c.Key.Field] = name()
	}
	made := b.expect(op, where, data)
	return text(made.data()[ops.c.Key.Field])
}

var (
	naming sync.Mutex
	given  int
)

// name is one that nothing has yet.
func name() string {
	naming.Lock()
	defer naming.Unlock()
	given++
	return fmt.Sprintf("fitting-%d", given)
}

// values has one of each type of record.
var values = map[any]string{
	"A": "192.0.2.1", "AAAA": "2001:db8::1", "ANAME": "www.example.com", "CNAME": "www.example.com",
	"MX": "10 mail.example.com", "NS": "ns1.example.com", "PTR": "host.example.com", "SRV": "10 5 5060 sip.example.com",
	"TXT": "a text; with \"quotes\"", "CAA": `0 issue "letsencrypt.org"`,
	"DS": "12345 13 2 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
}

var fitting = map[string]func(testing.TB, map[string]any){
	"/workspace/dns/zones": func(_ testing.TB, data map[string]any) {
		if data["domain"] != nil {
			data["domain"] = name() + ".example"
		}
	},
	"/workspace/dns/zones/{zone_id}/records": func(_ testing.TB, data map[string]any) {
		data["name"], data["rdata"] = name(), []any{values[data["type"]]}
	},
	"/workspace/sql/databases": func(_ testing.TB, data map[string]any) { data["name"] = name() },
	"/workspace/tls/certificates": func(t testing.TB, data map[string]any) {
		if data["common_name"] == nil {
			data["certificate"], data["private_key"] = certified(t, data["type"] == "trusted_ca_certificate")
		}
	},
	"/workspace/tls/crls": func(t testing.TB, data map[string]any) { data["crl"] = revoked(t) },
}

// certified is a certificate that signs itself, and its key.
func certified(t testing.TB, authority bool) (certificate, key string) {
	t.Helper()
	parsed, signer := selfSigned(t, authority)
	der, err := x509.MarshalPKCS8PrivateKey(signer)
	if err != nil {
		t.Fatal(err)
	}
	return armoured("CERTIFICATE", parsed.Raw), armoured("PRIVATE KEY", der)
}

func selfSigned(t testing.TB, authority bool) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "www.example.com"}, DNSNames: []string{"www.example.com"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0), IsCA: authority, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCRLSign | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return parsed, key
}

// revoked is a revocation list.
func revoked(t testing.TB) string {
	t.Helper()
	by, key := selfSigned(t, true)
	der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{
		Number: big.NewInt(1), ThisUpdate: time.Unix(1_700_000_000, 0), NextUpdate: time.Unix(1_800_000_000, 0),
	}, by, key)
	if err != nil {
		t.Fatal(err)
	}
	return armoured("X509 CRL", der)
}

func armoured(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// signed is the certificate that an authority makes of a signing request.
func signed(t testing.TB, csr string) string {
	t.Helper()
	block, _ := pem.Decode([]byte(csr))
	if block == nil {
		t.Fatalf("%q is no signing request", csr)
	}
	request, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	by, key := selfSigned(t, true)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		Subject: request.Subject, DNSNames: request.DNSNames, NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0),
	}, by, request.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return armoured("CERTIFICATE", der)
}

func number(text string) json.Number { return json.Number(text) }
