import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const source = resolve(import.meta.dirname, '../src')

/** Files of the product, without tests and test-only code. */
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.tsx?$/.test(name) && !/(\.test|\/test-[a-z-]+|\/loopback-server)\.tsx?$|\/fixtures\//.test(name),
)

/** Each line of code with a match, as `file: match`. */
function found(pattern: RegExp): string[] {
  return files.flatMap((file) =>
    readFileSync(join(source, file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
      .flatMap((line) => [...line.matchAll(pattern)].map((match) => `${file}: ${match[0]}`)),
  )
}

/** An unchecked cast hides mistakes, so a comment beside each of these says why it must stay. */
describe('type assertions', () => {
  it('over `never` and `unknown` are at known places only', () => {
    expect(found(/\bas (never|unknown as \w+)\b/g).sort()).toEqual([
      'connectors/contract/mapping.ts: as unknown as NormalizedRecord',
      'sync/authorize/books-choice.ts: as unknown as Grant',
    ])
  })

  it('that extend foreign types are at known places only', () => {
    expect(found(/\bdeclare (module '[^']+'|global)/g).sort()).toEqual([
      "api/access/caller.ts: declare module 'fastify'",
      "api/http/access-log.ts: declare module 'fastify'",
      "api/http/deprecation.ts: declare module 'fastify'",
      "api/http/preconditions.ts: declare module 'fastify'",
      "api/operator/operator-caller.ts: declare module 'fastify'",
      "api/reference/route-document.ts: declare module 'fastify'",
      "api/replicas/replica-reads.ts: declare module 'fastify'",
      "audit/rule.ts: declare module 'fastify'",
      "connect/visit/visitor.ts: declare module 'fastify'",
      "portal/styles.d.ts: declare module '*.css'",
      "store/db/pipelined-query.ts: declare module 'pg'",
    ])
  })

  it('never use `any`', () => {
    expect(found(/\bas any\b|: any\b|<any>/g)).toEqual([])
  })
})
