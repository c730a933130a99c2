import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'

const FOLDER = new URL('../../../sdk/link/', import.meta.url)
const Versions = Type.Record(Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+$' }), Type.String({ pattern: '^sha384-[A-Za-z0-9+/]{64}$' }))
/** For pages of any origin, which verify the script by its hash. */
const HEADERS = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}
const FOREVER = 'public, max-age=31536000, immutable'
const HOUR = 'public, max-age=3600'

/**
 * Serves `<countinghouse-link>`: each version at a permanent address, the newest of a major version at its own address,
 * and a list with the hash of each.
 */
export async function addElementRoutes(app: FastifyInstance): Promise<void> {
  const versions = Parse(Versions, JSON.parse(await readFile(new URL('integrity.json', FOLDER), 'utf8')))
  const numbers = Object.keys(versions)
  const newest = numbers.at(-1) ?? ''
  const newestByMajor = newestOfMajors(numbers)
  for (const version of numbers) {
    const name = version === newest ? 'countinghouse-link.js' : `earlier/${version}.js`
    const bytes = await readFile(new URL(name, FOLDER))
    const integrity = `sha384-${createHash('sha384').update(bytes).digest('base64')}`
    if (integrity !== versions[version]) throw new Error(`sdk/link: version ${version} of the element was changed after it was listed`)
    const serve = (path: string, cache: string) =>
      app.get(path, async (_request, reply) =>
        reply
          .headers({ ...HEADERS, 'cache-control': cache })
          .type('text/javascript; charset=utf-8')
          .send(bytes),
      )
    serve(`/connect/link/${version}/countinghouse-link.js`, FOREVER)
    const major = majorOf(version)
    if (newestByMajor.get(major) === version) serve(`/connect/link/${major}/countinghouse-link.js`, HOUR)
  }
  app.get('/connect/link/versions.json', async (_request, reply) =>
    reply.headers({ ...HEADERS, 'cache-control': HOUR }).send({ newest, integrity: versions }),
  )
}

/** Newest version of each major version; `versions` in order of release. */
export function newestOfMajors(versions: readonly string[]): Map<string, string> {
  return new Map(versions.map((version) => [majorOf(version), version]))
}

function majorOf(version: string): string {
  return version.split('.', 1)[0] ?? ''
}
