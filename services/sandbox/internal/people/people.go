// Package people is who the sandbox knows: made-up persons, their companies and
// their personal tokens. They are fixed, so that tests and examples can name
// them; nothing here is a real credential.
package people

import (
	"slices"
	"strings"
)

// Company is an account of the platform: the owner of resources.
type Company struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// Person is someone of a company.
type Person struct {
	ID        int64  `json:"id"`
	Email     string `json:"email"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Admin     bool   `json:"is_admin"`     // system admin of the platform
	ReadOnly  bool   `json:"is_read_only"` // no write permission
}

// Holder is one personal token: a person in a company.
type Holder struct {
	Name    string // "admin", "admin_2", …
	Token   string
	Person  Person
	Company Company
}

var (
	first  = Company{ID: 7001, Name: "Comporta Exemplo"}
	second = Company{ID: 7002, Name: "Segunda Exemplo"}
	third  = Company{ID: 7003, Name: "Tercera Ejemplo"}

	ana   = Person{ID: 501, Email: "ana.admin@comporta.example", FirstName: "Ana", LastName: "Admin", Admin: true}
	mario = Person{ID: 502, Email: "mario.membro@comporta.example", FirstName: "Mário", LastName: "Membro"}
	rita  = Person{ID: 503, Email: "rita.leitora@comporta.example", FirstName: "Rita", LastName: "Leitora", ReadOnly: true}
	otto  = Person{ID: 504, Email: "otto.fora@tercera.example", FirstName: "Otto", LastName: "Fora"}
)

var holders = []Holder{
	holder("admin", ana, first),
	holder("admin_2", ana, second),
	holder("member", mario, first),
	holder("reader", rita, first),
	holder("outsider", otto, third),
}

func holder(name string, p Person, c Company) Holder {
	return Holder{Name: name, Token: fakeToken(name), Person: p, Company: c}
}

// fakeToken has a personal token's shape, "azion" and 35 letters or digits, and
// says itself that it is none.
func fakeToken(name string) string {
	const tail = 35
	said := "FAKE" + strings.ReplaceAll(name, "_", "")
	return "azion" + said + strings.Repeat("0", tail-len(said))
}

// All is every token holder, in the order of the contract.
func All() []Holder { return slices.Clone(holders) }

// Tokens is every personal token by its holder's name.
func Tokens() map[string]string {
	tokens := make(map[string]string, len(holders))
	for _, h := range holders {
		tokens[h.Name] = h.Token
	}
	return tokens
}

// ByName finds a holder by name.
func ByName(name string) (Holder, bool) {
	return find(func(h Holder) bool { return h.Name == name })
}

// ByAuthorization finds the holder that an Authorization header names: exactly
// "Token <personal token>", as the platform wants it.
func ByAuthorization(header string) (Holder, bool) {
	scheme, token, ok := strings.Cut(header, " ")
	if !ok || !strings.EqualFold(scheme, "Token") {
		return Holder{}, false
	}
	return find(func(h Holder) bool { return h.Token == token })
}

func find(is func(Holder) bool) (Holder, bool) {
	i := slices.IndexFunc(holders, is)
	if i < 0 {
		return Holder{}, false
	}
	return holders[i], true
}
