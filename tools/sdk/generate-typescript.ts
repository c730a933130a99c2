import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createRequire, registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Where the generated part of the TypeScript SDK is, in the project. */
export const GENERATED = 'sdk/typescript/src/generated'

/**
 * The generator prints by the compiler's JavaScript API, which the project's own TypeScript (7) no longer has: this
 * package carries the last one that does.
 */
const COMPILER_API = pathToFileURL(
  createRequire(import.meta.url)
    .resolve('@ts-morph/common')
    .replace(/[^/\\]+$/, 'typescript.js'),
).href

/** Files of the client for an OpenAPI document, as @hey-api/openapi-ts writes them, by path in `GENERATED`. */
export async function generateTypescript(document: object): Promise<Map<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'sdk-'))
  const hooks = registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? COMPILER_API : name, context) })
  try {
    const { createClient } = await import('@hey-api/openapi-ts')
    await createClient({
      input: { ...document },
      logs: { level: 'silent', file: false },
      output: { path: folder, module: { extension: '.ts' } },
      plugins: [
        '@hey-api/typescript',
        { name: '@hey-api/client-fetch', throwOnError: true },
        { name: '@hey-api/sdk', responseStyle: 'data', operations: { strategy: 'single', containerName: 'Operations' } },
      ],
    })
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    return new Map(names.sort().map((name) => [name, withoutChecks(name, readFileSync(join(folder, name), 'utf8'))]))
  } finally {
    hooks.deregister()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The generator's own client does not hold with `exactOptionalPropertyTypes`, which our tests are checked with. */
function withoutChecks(name: string, text: string): string {
  return /^(client|core)\//.test(name) ? `// @ts-nocheck\n${text}` : text
}
