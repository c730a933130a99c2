import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { listen, serveForBench } from './child.ts'

export interface BareRequest {
  /** Folder with the pages `0`, `1`, … */
  folder: string
  /** Addresses of the pages. */
  paths: string[]
}

/** Baseline of the machine: the same requests answered with the same pages, from memory; no token, no database, no framework. */
await serveForBench(async (request) => {
  const { folder, paths } = JSON.parse(request) as BareRequest
  const answers = new Map<string, { headers: Record<string, string | number>; body: Buffer }>()
  for (const [index, path] of paths.entries()) {
    const body = await readFile(join(folder, String(index)))
    answers.set(path, { headers: { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length }, body })
  }
  return await listen(
    createServer(({ url = '' }, response) => {
      const answer = answers.get(url)
      if (answer) response.writeHead(200, answer.headers).end(answer.body)
      else response.writeHead(404).end()
    }),
  )
})
