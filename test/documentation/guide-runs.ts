import { spawn } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { within } from '../process/deadline.ts'

const root = resolve(import.meta.dirname, '..', '..')
const LIMIT_MS = 90_000
const LINK = /^http:\S+\/connect\?\S+$/gm

export interface GuideRun {
  program: string
  args: readonly string[]
  cwd: string
  env: Record<string, string>
  /** Plays the owner of a business, for each link that the program prints. */
  onLink(link: string): Promise<unknown>
  /** For a program that goes on for ever: output after which it is stopped. */
  until?: RegExp
}

/** Runs a program to its end, or until it has printed enough; returns its output. Throws with all of it if it fails. */
export async function runGuide({ program, args, cwd, env, onLink, until }: GuideRun): Promise<string> {
  const child = spawn(program, args, { cwd, env: { PATH: process.env.PATH, HOME: cwd, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const { promise, resolve: done, reject } = Promise.withResolvers<string>()
  const opened = new Set<string>()
  let [stdout, stderr] = ['', '']
  const fail = (reason: string) => reject(new Error(reason))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    for (const [link] of stdout.slice(0, stdout.lastIndexOf('\n') + 1).matchAll(LINK)) {
      if (opened.has(link)) continue
      opened.add(link)
      onLink(link).catch((error: unknown) => fail(`the owner could not connect: ${String(error)}`))
    }
    if (until?.test(stdout)) done(stdout)
  })
  child.on('error', (error) => fail(String(error)))
  child.on('close', (code, signal) => (code === 0 && !until ? done(stdout) : fail(`ended with ${signal ?? `status ${code}`}`)))
  try {
    return await within(`${program} ends`, promise, LIMIT_MS).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${stderr}\n${stdout.slice(-3_000)}`)
    })
  } finally {
    child.kill('SIGKILL')
  }
}

/** Makes the SDK of this checkout importable by its name; that it packs is tested with the SDK. */
export async function linkSdk(project: string): Promise<void> {
  const folder = join(project, 'node_modules/@countinghouse/sdk')
  await mkdir(folder, { recursive: true })
  await symlink(join(root, 'sdk/typescript/src/index.ts'), join(folder, 'index.ts'))
  await writeFile(join(folder, 'package.json'), '{ "name": "@countinghouse/sdk", "type": "module", "exports": "./index.ts" }')
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  const options = {
    noEmit: true,
    strict: true,
    target: 'es2024',
    module: 'nodenext',
    skipLibCheck: true,
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    allowImportingTsExtensions: true,
  }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }))
}
