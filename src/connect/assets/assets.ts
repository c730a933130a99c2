import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { FastifyInstance } from 'fastify'

/**
 * Scripts by purpose: `progress` follows the first read, `banks` suggests banks while typing, `widget` opens a
 * provider's window, `waiting` follows a hand-off, `frame` speaks with the page around a frame, `zone` reports the browser's time zone.
 */
export type ScriptName = 'progress' | 'banks' | 'widget' | 'waiting' | 'frame' | 'zone'

export interface Assets {
  stylePath: string
  scriptPaths: Record<ScriptName, string>
}

interface Asset {
  path: string
  type: string
  bytes: Buffer
}

/** Serves the style sheet and the scripts under content-hashed names, so that browsers may cache them forever. */
export async function addAssetRoutes(app: FastifyInstance): Promise<Assets> {
  const style = await readAsset(new URL('./style.css', import.meta.url), 'text/css; charset=utf-8')
  const [progress, banks, widget, waiting, frame, zone] = await Promise.all([
    readScript('progress'),
    readScript('banks'),
    readScript('widget'),
    readScript('waiting'),
    readScript('frame'),
    readScript('zone'),
  ])
  for (const asset of [style, progress, banks, widget, waiting, frame, zone]) {
    app.get(asset.path, async (_request, reply) =>
      reply
        .headers({ 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' })
        .type(asset.type)
        .send(asset.bytes),
    )
  }
  return {
    stylePath: style.path,
    scriptPaths: {
      progress: progress.path,
      banks: banks.path,
      widget: widget.path,
      waiting: waiting.path,
      frame: frame.path,
      zone: zone.path,
    },
  }
}

async function readScript(name: ScriptName): Promise<Asset> {
  return await readAsset(new URL(`./${name}.js`, import.meta.url), 'text/javascript; charset=utf-8')
}

async function readAsset(file: URL, type: string): Promise<Asset> {
  const bytes = await readFile(file)
  const ending = extname(file.pathname)
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
  return { path: `/connect/${basename(file.pathname, ending)}-${hash}${ending}`, type, bytes }
}
