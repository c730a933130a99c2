/** Parameters of the query or the form in Stripe's format; lists as `name[]` or `name[0]`. */
export type Parameters = URLSearchParams

export function readParameters(query: URLSearchParams, body: string): Parameters {
  const all = new URLSearchParams()
  for (const [name, value] of [...query, ...new URLSearchParams(body)]) all.append(name.replace(/\[\d+\]$/, '[]'), value)
  return all
}

export function textOf(parameters: Parameters, name: string): string | null {
  return parameters.get(name)
}
