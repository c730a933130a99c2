import type { FastifyInstance } from 'fastify'
import { ApiError, badRequest } from '../errors/errors.ts'

/** Names that cause prototype pollution. */
const POISONED = new Set(['__proto__', 'constructor', 'prototype'])
const MAX_DEPTH = 64

/**
 * Strict JSON body parser. Rejected with 400: invalid JSON or UTF-8, nesting deeper than 64, duplicate names in an
 * object, names that pollute prototypes, the character U+0000. An absent body is `undefined`.
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  const text = decode(bytes)
  const value = parse(text)
  checkTokens(text)
  return value
}

/** Bodies of all routes of `scope` are JSON. */
export function acceptJsonOnly(scope: FastifyInstance, types: string[] = ['application/json']): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(types, { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(typeof body === 'string' ? Buffer.from(body) : body))
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
    }
  })
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new ApiError(400, 'The body is not UTF-8.', { cause })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ApiError(400, 'The body is not valid JSON.', { cause })
  }
}

/** NOTE: `text` is known to be JSON here; on any other text the search for strings could take quadratic time. */
function checkTokens(text: string): void {
  const names: Set<string>[] = []
  let depth = 0
  let last = ''
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g)) {
    if (token === '{') names.push(new Set())
    if (token === '}') names.pop()
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
    if (depth > MAX_DEPTH) throw badRequest('The body is nested too deeply.')
    if (token === ':') checkName(String(JSON.parse(last)), names.at(-1) ?? new Set())
    if (token.includes('\\u0000') && String(JSON.parse(token)).includes('\0')) {
      throw badRequest('The body holds a character that is not allowed.')
    }
    last = token
  }
}

/** A string is a name exactly when a colon follows it. */
function checkName(name: string, seen: Set<string>): void {
  if (POISONED.has(name)) throw badRequest('The body holds a name that is not allowed.')
  if (seen.has(name)) throw badRequest('The body gives a property twice.', [{ field: name.slice(0, 100), message: 'is given twice' }])
  seen.add(name)
}
