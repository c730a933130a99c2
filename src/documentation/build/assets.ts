import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'

const ASSETS = join(import.meta.dirname, '../assets')

/** A file of the built site. */
export interface Output {
  path: string
  file: string
  type: string
  content: Buffer
  isImmutable?: boolean
  markdown?: string
}

export function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** A file whose name holds the hash of its content. */
export function hashed(name: string, type: string, content: Buffer): Output {
  const [stem, ending] = name.split('.')
  const file = `assets/${stem}-${hashOf(content).slice(0, 8)}.${ending}`
  return { path: `/docs/${file}`, file, type, content, isImmutable: true }
}

/** Style sheets as one file, in their order. */
export async function styleAsset(name: string, parts: readonly string[]): Promise<Output> {
  const texts = await Promise.all(parts.map((part) => readFile(join(ASSETS, part), 'utf8')))
  return hashed(name, 'text/css; charset=utf-8', Buffer.from(texts.join('')))
}

/** A script with the packages that it imports, as one file. */
export async function scriptAsset(name: string): Promise<Output> {
  const built = await build({
    configFile: false,
    root: ASSETS,
    logLevel: 'error',
    build: { write: false, target: 'es2022', lib: { entry: join(ASSETS, name), formats: ['es'] } },
  })
  const [bundle] = Array.isArray(built) ? built : [built]
  const [chunk] = bundle && 'output' in bundle ? bundle.output : []
  if (chunk?.type !== 'chunk') throw new Error(`${name} could not be bundled`)
  return hashed(name, 'text/javascript; charset=utf-8', Buffer.from(chunk.code))
}
