/** `npm run package -- FOLDER`: lays out the service for an image, with Node and without PostgreSQL. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { argv, exit, stderr, stdout } from 'node:process'
import { layOut } from './package/lay-out.ts'

const [, , name] = argv
if (name === undefined || existsSync(name)) {
  stderr.write(name === undefined ? 'usage: npm run package -- FOLDER\n' : `${name} exists; name a folder that does not\n`)
  exit(2)
}
await layOut(resolve(name), { node: true, database: false })
stdout.write(`the service is laid out in ${resolve(name)}\n`)
