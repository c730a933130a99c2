import type { FastifySchemaValidationError } from 'fastify'
import type { FieldError } from './errors.ts'

/** Maximum number of reported errors. */
const MOST = 50

/**
 * Validation errors as one entry per field. Values are never repeated: they may be secrets. `part` is `body`,
 * `querystring` or `params`; it is named when the error concerns the whole part.
 */
export function toFieldErrors(findings: readonly FastifySchemaValidationError[], part: string): FieldError[] {
  const byField = new Map<string, FieldError>()
  for (const finding of ofMeantChoices(findings)) {
    const entry = toFieldError(finding, part)
    if (!byField.has(entry.field)) byField.set(entry.field, entry)
    if (byField.size === MOST) break
  }
  return [...byField.values()]
}

/**
 * For a choice between shapes with a discriminator (`kind`), the errors of the selected shape; if the discriminator
 * matches none, only that.
 */
function ofMeantChoices(findings: readonly FastifySchemaValidationError[]): readonly FastifySchemaValidationError[] {
  const words = new Map<string, FastifySchemaValidationError>()
  for (const finding of findings) {
    const branch = /^(.*\/anyOf\/\d+)\/properties\/[^/]+\/const$/.exec(finding.schemaPath)?.[1]
    if (branch !== undefined) words.set(branch, finding)
  }
  if (words.size === 0) return findings
  const choiceOf = (branch: string) => branch.slice(0, branch.lastIndexOf('/'))
  const isMeant = (branch: string) => findings.some(({ schemaPath }) => branchOf(schemaPath) === branch) && !words.has(branch)
  const meant = new Set(
    findings
      .flatMap(({ schemaPath }) => branchOf(schemaPath) ?? [])
      .filter(isMeant)
      .map(choiceOf),
  )
  const choices = new Set([...words.keys()].map(choiceOf))
  return findings.flatMap((finding) => {
    if (choices.has(finding.schemaPath)) return []
    const branch = branchOf(finding.schemaPath)
    if (branch === null || !choices.has(choiceOf(branch))) return [finding]
    if (meant.has(choiceOf(branch))) return words.has(branch) ? [] : [finding]
    const wanted = [...words].filter(([each]) => choiceOf(each) === choiceOf(branch)).map(([, { params }]) => params.allowedValue)
    return finding === words.get(branch) ? [{ ...finding, keyword: 'enum', params: { allowedValues: wanted } }] : []
  })
}

/** `…/anyOf/1` for the branch that contains it. */
function branchOf(schemaPath: string): string | null {
  return /^.*?\/anyOf\/\d+(?=\/)/.exec(schemaPath)?.[0] ?? null
}

function toFieldError(finding: FastifySchemaValidationError, part: string): FieldError {
  const path = finding.instancePath.split('/').slice(1).map(unescapePointer)
  const { missingProperty, additionalProperty } = finding.params
  if (finding.keyword === 'required') return { field: [...path, String(missingProperty)].join('.'), message: 'is required' }
  if (finding.keyword === 'additionalProperties') {
    const name = [...path, String(additionalProperty).slice(0, 100)].join('.')
    return { field: name, message: part === 'querystring' ? 'is not a known parameter' : 'is not a known property' }
  }
  return { field: path.join('.') || (part === 'querystring' ? 'query' : part), message: messageOf(finding) }
}

function messageOf(finding: FastifySchemaValidationError): string {
  const { allowedValues, format } = finding.params
  if (finding.keyword === 'minProperties') return 'needs at least one property'
  if (finding.keyword === 'enum' && Array.isArray(allowedValues)) return `must be one of ${allowedValues.join(', ')}`
  if (finding.keyword === 'pattern' || finding.keyword === 'format')
    return typeof format === 'string' ? `must be a valid ${format}` : 'has a wrong form'
  return finding.message ?? 'is invalid'
}

/** Source: https://www.rfc-editor.org/rfc/rfc6901#section-4 */
function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}
