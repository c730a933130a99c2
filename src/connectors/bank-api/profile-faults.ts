import { type Authentication, type Profile, ProfileShape } from './profile.ts'
import { listShapeFaults } from './shape-faults.ts'

/**
 * All faults of a profile, each with its location; empty when the profile is valid. `name` is the file's, without its
 * extension.
 */
export function listFaults(name: string, value: unknown): string[] {
  const shape = listShapeFaults(ProfileShape, value)
  return shape.length > 0 ? shape : listConflicts(name, value as Profile)
}

function listConflicts(name: string, profile: Profile): string[] {
  return [
    ...(profile.key === name ? [] : [`/key is "${profile.key}", but the file is named ${name}.json`]),
    ...listNameFaults(profile),
    ...listTemplateFaults(profile),
    ...listOwnerFaults(profile),
    ...listListFaults(profile),
  ]
}

function listNameFaults({ keys, connect, accounts, transactions, authentication, hosts }: Profile): string[] {
  const fields = connect.fields.map((field) => field.name)
  const faults = [...twice('/keys', keys), ...twice('/connect/fields', fields)]
  faults.push(...keys.filter((key) => fields.includes(key)).map((key) => `/keys "${key}" is the name of a field, too`))
  faults.push(
    ...['accountId', 'id']
      .filter((each) => [...keys, ...fields].includes(each))
      .map((each) => `"${each}" is taken: it stands for what is asked for`),
  )
  faults.push(
    ...twice(
      '/accounts',
      accounts.map((list) => list.name),
    ),
    ...twice(
      '/transactions',
      transactions.map((list) => list.name),
    ),
  )
  if ('token' in authentication && hosts.token === undefined) faults.push('/hosts has no "token", which /authentication/token needs')
  for (const [index, field] of connect.fields.entries()) {
    if (field.pattern !== undefined && !isExpression(field.pattern))
      faults.push(`/connect/fields/${index}/pattern is no regular expression`)
  }
  return faults
}

function listTemplateFaults(profile: Profile): string[] {
  const { keys, connect, authentication, headers = {}, accounts, transactions } = profile
  const fields = connect.fields.map((field) => field.name)
  const known = [...keys, ...fields]
  const faults: string[] = []
  const used = new Set<string>()
  const check = (place: string, template: string, more: readonly string[] = []): void => {
    for (const found of namesIn(template)) {
      used.add(found)
      if (![...known, ...more].includes(found)) faults.push(`${place}: nothing stands for {${found}}`)
    }
  }
  for (const [part, value] of Object.entries(authentication)) {
    if (typeof value === 'string') check(`/authentication/${part}`, value)
    else for (const [parameter, template] of Object.entries(value)) check(`/authentication/${part}/${parameter}`, template)
  }
  for (const [header, template] of Object.entries(headers)) check(`/headers/${header}`, template)
  check('/connect/id', connect.id)
  if (connect.customer) check('/connect/customer/path', connect.customer.path)
  for (const [index, list] of accounts.entries()) {
    checkList(`/accounts/${index}`, list, [])
    for (const [at, detail] of (list.details ?? []).entries()) check(`/accounts/${index}/details/${at}/path`, detail.path, ['id'])
  }
  for (const [index, list] of transactions.entries()) checkList(`/transactions/${index}`, list, ['accountId'])
  for (const proof of connect.customer?.proof ?? []) used.add(proof.field)
  faults.push(...known.filter((each) => !used.has(each)).map((each) => `"${each}" is asked for and used nowhere`))
  return faults

  function checkList(place: string, list: { path: string; query?: Record<string, string> }, more: readonly string[]): void {
    check(`${place}/path`, list.path, more)
    for (const [parameter, template] of Object.entries(list.query ?? {})) check(`${place}/query/${parameter}`, template, more)
  }
}

/**
 * Faults of the owner's fields. Any person with a link can type them: credentials that open an account must be known to
 * that person alone.
 */
function listOwnerFaults({ connect, authentication }: Profile): string[] {
  const fields = connect.fields.map((field) => field.name)
  const faults: string[] = []
  for (const [index, proof] of (connect.customer?.proof ?? []).entries()) {
    if (!fields.includes(proof.field)) faults.push(`/connect/customer/proof/${index}/field: there is no field "${proof.field}"`)
  }
  if (!namesIn(connect.id).some((each) => fields.includes(each))) faults.push('/connect/id names no field: all connections would be one')
  const isTyped = secretsOf(authentication).some((template) => namesIn(template).some((each) => fields.includes(each)))
  if (!isTyped && !connect.customer?.proof) {
    faults.push(
      '/connect/customer/proof is missing: with the operator’s credentials alone anybody could type the number of another customer',
    )
  }
  return faults
}

function listListFaults({ accounts, transactions }: Profile): string[] {
  const faults: string[] = []
  if (new Set(transactions.map(({ history }) => history === 'everything')).size > 1) {
    faults.push('/transactions: either all lists have a history of "everything", or none')
  }
  for (const [index, list] of transactions.entries()) {
    const unknown = list.of.filter((each) => !accounts.some(({ name }) => name === each))
    faults.push(...unknown.map((each) => `/transactions/${index}/of: there is no list of accounts "${each}"`))
    const asked = [list.path, ...Object.values(list.query ?? {})].some((each) => namesIn(each).includes('accountId'))
    if (!asked) faults.push(`/transactions/${index}: neither path nor query holds {accountId}`)
  }
  for (const [index, list] of accounts.entries()) {
    for (const [at, detail] of (list.details ?? []).entries()) {
      if (!namesIn(detail.path).includes('id')) faults.push(`/accounts/${index}/details/${at}/path does not hold {id}`)
    }
  }
  return faults
}

/** Parts of a client authentication that prove the client's identity. */
export function secretsOf(authentication: Authentication): string[] {
  switch (authentication.kind) {
    case 'clientCredentials':
      return [authentication.clientSecret]
    case 'jwtBearer':
      return [authentication.privateKey]
    case 'basic':
      return [authentication.password]
    case 'apiKey':
      return [authentication.value]
  }
}

export function namesIn(template: string): string[] {
  return [...template.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? '')
}

function twice(place: string, names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${place} has "${name}" twice`)
}

function isExpression(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}
