package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// errForgotten is of a registration that the authorization server does not take.
var errForgotten = errors.New("the authorization server does not know this client any more")

// flow asks the person, with the client's registration of before where there is
// one: a person who approved this client does not meet a stranger each time.
func (s *session) flow(ctx context.Context, req *http.Request, resp *http.Response, before record) (record, error) {
	challenge := *resp
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	got, err := s.once(ctx, req, &challenge, before)
	if errors.Is(err, errForgotten) {
		return s.once(ctx, req, &challenge, record{Scope: before.Scope})
	}
	return got, err
}

func (s *session) once(ctx context.Context, req *http.Request, resp *http.Response, before record) (record, error) {
	back, err := listenForCallback(s.cfg.RedirectURL, before.RedirectURL)
	if err != nil {
		return record{}, err
	}
	defer back.close()

	got := record{ClientID: before.ClientID, RedirectURL: back.url}
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: back.url, Client: s.cfg.Client, RequestRefreshToken: true,
		ScopeFilter: func(asked []string) []string { return union(strings.Fields(before.Scope), asked) },
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			return s.fetch(ctx, args.URL, back, before, &got)
		},
		NewTokenSource: func(_ context.Context, cfg *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			got.ClientID, got.ClientSecret = cfg.ClientID, cfg.ClientSecret
			got.TokenURL, got.AuthStyle = cfg.Endpoint.TokenURL, cfg.Endpoint.AuthStyle
			got.Token, got.Scope = token, strings.Join(cfg.Scopes, " ")
			if scope, ok := token.Extra("scope").(string); ok && scope != "" {
				got.Scope = scope
			}
			return oauth2.StaticTokenSource(token), nil
		},
	}
	s.introduce(config, before)
	handler, err := auth.NewAuthorizationCodeHandler(config)
	if err != nil {
		return record{}, err
	}
	resp.Body = http.NoBody
	if err := handler.Authorize(ctx, req, resp); err != nil {
		return record{}, err
	}
	if got.Token == nil {
		return record{}, errors.New("the authorization server gave no token")
	}
	return got, nil
}

// introduce says by which ways the client is known: its metadata document, a
// registration of before, else a new one.
func (s *session) introduce(config *auth.AuthorizationCodeHandlerConfig, before record) {
	if s.cfg.MetadataURL != "" {
		config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: s.cfg.MetadataURL}
	}
	id, secret := s.cfg.ClientID, s.cfg.ClientSecret
	if id == "" {
		id, secret = before.ClientID, before.ClientSecret
	}
	if id != "" && id != s.cfg.MetadataURL {
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: id}
		if secret != "" {
			config.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: secret}
		}
		return
	}
	config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{config.RedirectURL}, ClientName: s.cfg.ClientName,
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		TokenEndpointAuthMethod: "none",
	}}
}

// fetch shows the person the page and waits for the answer.
func (s *session) fetch(ctx context.Context, page string, back *callback, before record, got *record) (*auth.AuthorizationResult, error) {
	u, err := url.Parse(page)
	if err != nil {
		return nil, err
	}
	if !showable(u) {
		return nil, fmt.Errorf("the authorization server's sign-in page is at %s://%s, which is no https address", u.Scheme, u.Host)
	}
	query := u.Query()
	got.AuthorizeURL = (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
	if reused := before.ClientID; reused != "" && query.Get("client_id") == reused && s.cfg.ClientID == "" && reused != s.cfg.MetadataURL {
		if err := s.stillKnown(ctx, page, got.AuthorizeURL, before); err != nil {
			return nil, err
		}
	}
	back.expect(query.Get("state"))
	if err := s.cfg.Open(ctx, page); err != nil {
		return nil, fmt.Errorf("showing the sign-in page: %w", err)
	}
	return back.wait(ctx)
}

// showable reports whether a page may be handed to the system: a server that could
// name file: or any program's own scheme would start that program here.
func showable(page *url.URL) bool {
	if page.Scheme == "https" {
		return page.Host != ""
	}
	ip := net.ParseIP(page.Hostname())
	return page.Scheme == "http" && (page.Hostname() == "localhost" || ip.IsLoopback())
}

// stillKnown looks whether the authorization server takes a registration of
// before. Without that a person would only meet an error page, again and again.
func (s *session) stillKnown(ctx context.Context, page, authorizeURL string, before record) error {
	if before.AuthorizeURL != authorizeURL {
		return errForgotten
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	client := *s.cfg.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusBadRequest || resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusNotFound {
		return errForgotten
	}
	return nil
}

func union(a, b []string) []string {
	for _, one := range b {
		if !slices.Contains(a, one) {
			a = append(a, one)
		}
	}
	return a
}
