import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { FastifyInstance } from 'fastify'

export interface Assets {
  stylePath: string
  /** Of the script that follows the first reading. */
  scriptPath: string
  /** Of the script that opens a provider's window. */
  widgetScriptPath: string
}

interface Asset {
  path: string
  type: string
  bytes: Buffer
}

/** Serves the style sheet and the scripts under names that change with their content, so that browsers may keep them for ever. */
export async function addAssetRoutes(app: FastifyInstance): Promise<Assets> {
  const style = await readAsset(new URL('./assets/style.css', import.meta.url), 'text/css; charset=utf-8')
  const script = await readAsset(new URL('./assets/progress.js', import.meta.url), 'text/javascript; charset=utf-8')
  const widget = await readAsset(new URL('./assets/widget.js', import.meta.url), 'text/javascript; charset=utf-8')
  for (const asset of [style, script, widget]) {
    app.get(asset.path, async (_request, reply) =>
      reply
        .headers({ 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' })
        .type(asset.type)
        .send(asset.bytes),
    )
  }
  return { stylePath: style.path, scriptPath: script.path, widgetScriptPath: widget.path }
}

async function readAsset(file: URL, type: string): Promise<Asset> {
  const bytes = await readFile(file)
  const ending = extname(file.pathname)
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
  return { path: `/connect/${basename(file.pathname, ending)}-${hash}${ending}`, type, bytes }
}
