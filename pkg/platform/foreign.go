package platform

// signed puts the deployment's credential in the place of the caller's where a
// foreign API answers: what a person entrusted to the platform goes nowhere else.
func (c *Client) signed(r Request) (Request, error) {
	binding := r.Tool.Binding
	if binding == nil || !binding.Foreign {
		return r, nil
	}
	r.Authorization = ""
	if binding.Credential == "" {
		return r, nil
	}
	own, ok := c.credentials[binding.Credential]
	if !ok || own == "" {
		return r, broken("The credential for this API is not set up.")
	}
	r.Authorization = own
	return r, nil
}
