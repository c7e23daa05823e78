package catalog

// outside is what no agent may do (contract §5) and no tool of ours does. Each has
// a name, so that it can be listed where agents look before they try, and so that
// one that tries it all the same learns why not.
var outside = []struct{ name, title, why string }{
	{"iniciar_sesion", "Sign in as a person", "only a person signs in, with a credential that no agent sees"},
	{"crear_token_personal", "Create a personal token", "a token has all rights of its person and outlives this link"},
	{"ver_token_personal", "Read personal tokens", "a token has all rights of its person; agents act by their link"},
	{"gestionar_miembros", "Invite or remove members", "who belongs to a company is decided by its people"},
	{"gestionar_roles", "Change roles and permissions", "an agent could widen the rights of whoever it acts for"},
	{"gestionar_facturacion", "Change billing", "what costs money is signed by a person"},
	{"aprobar_llamada", "Approve a waiting call", "an approval is a person's yes to what an agent asks for"},
	{"ver_secreto", "Read a secret that was shown once", "it is kept for the person, at the address in the answer"},
}

// Outside gives them as tools that are listed under never and can do nothing.
func Outside() ([]*Tool, error) {
	var tools []*Tool
	for _, o := range outside {
		t, err := HandTool(Tool{Name: o.name, Title: o.title, Description: o.title + ".", Effect: Destructive, Never: o.why}, nil, nil)
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	return tools, nil
}
