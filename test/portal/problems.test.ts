import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fieldInFrench, problemInFrench } from '../../src/portal/texts/messages/problems.ts'

const SOURCE = join(import.meta.dirname, '../../src')

/** Functions of the API whose messages a portal user may see. */
const API_MESSAGE =
  /\b(?:conflict|unauthorized|badRequest|tooManyRequests|new Conflict|new ActionNotAllowed)\((?:connection, |[^'`\n]+, )?(['`])((?:[^'`\\]|\\.)+?)\1/g
const ABOUT_FIELDS = /\b(?:badField\([^,()]+, |InvalidCallbackUrl\()(['`])((?:[^'`\\]|\\.)+?)\1/g
/** Files of operations that only programs call: no page of the portal uses them. */
const UNSEEN = /file-feed|replays\.ts|audit\.ts/
/** Files with the validation of owner-page settings and links. */
const SETTINGS = [
  'sync/branding/owner-pages.ts',
  'sync/branding/return-address.ts',
  'sync/branding/frame-origin.ts',
  'api/schemas/link-options.ts',
]
const ABOUT_SETTINGS = /(['`])((?:is|has|must) (?:[^'`\\\n]|\\.)+?)\1/g

function listFiles(): string[] {
  return ['api', 'webhooks', 'sync'].flatMap((room) =>
    readdirSync(join(SOURCE, room), { recursive: true })
      .map((name) => join(SOURCE, room, String(name)))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !UNSEEN.test(name)),
  )
}

function textsOf(pattern: RegExp, files = listFiles()): string[] {
  const found = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, , text = '']) => text))
  return [...new Set(found)].map((text) => text.replace(/\$\{[^}]*\}/g, '15'))
}

describe('error messages of the API in French', () => {
  it('each message', () => {
    const texts = textsOf(API_MESSAGE).filter((text) => /^[A-Z]/.test(text) && !text.startsWith('15') && !text.startsWith('Not possible'))
    const reasons = textsOf(/new ActionNotAllowed\(connection, (['`])((?:[^'`\\]|\\.)+?)\1/g).map((text) => `Not possible now: ${text}.`)
    expect(texts.length).toBeGreaterThan(15)
    expect(reasons.length).toBeGreaterThan(3)
    expect([...texts, ...reasons].filter((text) => problemInFrench(text) === null)).toEqual([])
  })

  it('each refusal of the webhooks module', () => {
    const [, table = ''] = /const TEXTS = \{([^}]*)\}/.exec(readFileSync(join(SOURCE, 'webhooks/errors.ts'), 'utf8')) ?? []
    const texts = [...table.matchAll(/'([^']+)'/g)].map(([, text = '']) => `${text[0]?.toUpperCase()}${text.slice(1)}.`)
    expect(texts.length).toBeGreaterThan(5)
    expect(texts.filter((text) => problemInFrench(text) === null)).toEqual([])
  })

  it('each validation error of a form in the portal', () => {
    const texts = textsOf(ABOUT_FIELDS).map((text) => text.replace(/^callbackUrl /, ''))
    expect(texts.length).toBeGreaterThan(8)
    expect(texts.filter((text) => fieldInFrench(text) === null)).toEqual([])
  })

  it('each validation error of owner-page settings and of links', () => {
    const texts = textsOf(
      ABOUT_SETTINGS,
      SETTINGS.map((name) => join(SOURCE, name)),
    )
    expect(texts.length).toBeGreaterThan(11)
    expect(texts.filter((text) => fieldInFrench(text) === null)).toEqual([])
  })
})
