// Package catalog turns an area's OpenAPI documents, with their x-mcp
// extensions, into tools: names, schemas, rules, and how to build the platform
// request. It is pure: no network, no clock, no caller. Sending requests is
// package platform's, deciding who may call is package guard's.
//
// The list of tools is a value. Registration, tools/list, /tools.json, the
// pages, the snapshots and the lint all walk it; a fact about a tool is written
// once, here.
//
// # Documents
//
// Every *.yaml of the file system with an openapi key is a document; one without
// is a fragment that documents refer to by $ref. One operation is one tool, named
// by its operationId. Parameters of path, query and header and the fields of the
// body become one flat input:
//
//   - A query parameter with the name of a path parameter is called NAME_query, a
//     header then NAME_header; letters that model providers refuse become "_".
//   - A body that is no plain object, that takes free fields, or that has a field
//     with the name of a parameter or of a common argument is one argument, body.
//   - readOnly fields are no arguments, writeOnly fields no part of an answer; a
//     secret one is masked, should a platform answer it all the same.
//   - null means absent. Where the document calls null a value of a body's field
//     it is sent, since it may mean "clear this"; the listed schema says so.
//   - A body that is described as bytes (a string of format binary, neither JSON
//     nor a form) is one argument, body, beside codificacion, which says how it is
//     written. A good answer that is not described as JSON is bytes too; a GET then
//     takes rango, for a part of them.
//   - A parameter that is described by content instead of a schema has the style
//     "json".
//
// The servers of a document do not count, since a sandbox may stand in for the
// platform, unless the document says x-mcp: {server: own} at its top or an
// operation has servers of its own. A document with a server of its own is a
// foreign API's: the caller's credential is never sent there, only the
// deployment's that x-mcp: {server: own, credential: NAME} names.
//
// # x-mcp of an operation
//
//	effect      read, write or destructive; required
//	profiles    the profiles that have the tool
//	title       for people; else the summary
//	idempotent  else: every method but POST
//	open_world  it reaches beyond the platform
//	root        the kind of approved resource that the path names, or {kind, arg, field}
//	every       kinds of approved resources of which a call reaches all, whatever it names; "*": all kinds. Else those that a clone makes
//	confirm     name, true, false, or {unless: sql-read, arg}: true, but not for statements that only read; else a DELETE asks for the name of a root, and for a yes otherwise
//	approval    human
//	find        {list, by, filter}: how to see whether a create took effect; else the list at the same path, by name.
//	            by: fields, or {argument: field} where they differ; filter: the list's parameter that takes the first
//	command     it runs the caller's own commands: it takes espera, its output is cut at 20 000 characters, and
//	            an effect that nobody knows is agente_timeout
//	long        what it reads is often longer than an answer may be: lists tell its argument rango
//	content_type  the argument that is the media type of a body of bytes
//	operation   {probe, until: {field, ok, failed}}, true or false; until: which values of a field of the
//	            probe's answer end it, else it ends when the platform is done; else true where a write may answer 202
//	retrieve    the tool that reads the same resource; else GET at the same path
//	limits      names of the limits that apply
//	untrusted   paths of the answer that third parties write: data.records[].description
//	secrets     paths of arguments and answer that are masked
//	shown_once  paths of secrets in the answer that the platform shows this one time; they are kept for the person
//	admin       for administrators only
//	never       why no agent may call it
//
// A property may say x-mcp: {secret: true}, {secret: url} for a URL that may hold one, {shown_once: true} or {untrusted: true}
// itself; format: password is a secret as well. A schema may say x-mcp: {example: …},
// which lists tell behind what it holds. Unknown keys are errors.
package catalog
