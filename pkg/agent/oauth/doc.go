// Package oauth signs a person in to remote MCP servers: OAuth 2.1 with PKCE, a
// browser and a loopback callback, as an [http.RoundTripper].
//
//	signIn := oauth.New(oauth.Config{Store: oauth.Folder(dir)})
//	m := agent.New(agent.Options{SignIn: signIn.For})
//
// The flow itself (discovery, registration, PKCE, resource, iss) is go-sdk's. This
// package adds what a program that lives longer than one connection needs: tokens
// and the client's registration are kept in a [Store]; many requests that are
// refused at once ask the person once; a token that another process has refreshed
// is taken over instead of being refreshed twice; and a registration that the
// authorization server has forgotten is made anew.
package oauth
