import { execFile } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, it } from 'vitest'
import { readServedDocuments } from '../../tools/docs/api-document.ts'
import { folderForTests } from '../harness/for-tests.ts'
import { isOnPath } from '../packages/podman.ts'
import { isLong } from '../prove/effort.ts'
import { reportFigure } from '../prove/figures.ts'

const DOCUMENTS = ['openapi', 'administration'] as const
const OPENAPI_GENERATOR = '7.25.0'
const LANGUAGES = { java: ['--library', 'native'], rust: [] } as const

/** A generator of which a machine lacks a program is not tried; with CI=true its test fails. */
function lacks(...programs: string[]): { isSkipped: boolean; note: string } {
  const missing = programs.filter((program) => !isOnPath(program))
  const isSkipped = missing.length > 0 && process.env.CI !== 'true'
  const note = isSkipped ? ` (SKIPPED: no ${missing.join(', ')})` : ''
  if (isSkipped) process.stderr.write(`SKIPPED: no client is generated, for want of ${missing.join(', ')}\n`)
  return { isSkipped, note }
}

const folder = folderForTests()

beforeAll(async () => {
  for (const [name, text] of Object.entries(await readServedDocuments())) await writeFile(join(folder.path, `${name}.json`), text)
})

/** Runs a program to its end; what it printed is the message where it fails. */
async function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  await promisify(execFile)(program, args, { cwd, maxBuffer: 64_000_000 }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${program} ${args.join(' ')}\n${error.stdout}\n${error.stderr}`)
  })
}

const go = lacks('oapi-codegen', 'go')
describe.skipIf(go.isSkipped)(`the documents of the API, for oapi-codegen${go.note}`, () => {
  it('give clients in Go that compile', async () => {
    const module = join(folder.path, 'go')
    await cp(join(import.meta.dirname, 'go'), module, { recursive: true })
    for (const name of DOCUMENTS) {
      await mkdir(join(module, name))
      const output = join(module, name, 'client.go')
      await run('oapi-codegen', ['-config', 'config.yaml', '-o', output, join(folder.path, `${name}.json`)], module)
    }
    await run('go', ['build', './...'], module)
  }, 300_000)
})

const maven = lacks('mvn', 'java', 'cargo')
describe.skipIf(!isLong || maven.isSkipped)(`the documents of the API, for openapi-generator${isLong ? maven.note : ''}`, () => {
  const jar = join(homedir(), '.m2/repository/org/openapitools/openapi-generator-cli', OPENAPI_GENERATOR)

  beforeAll(async () => {
    await run('mvn', ['-q', '-B', 'dependency:get', `-Dartifact=org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`], folder.path)
  }, 600_000)

  async function generate(language: keyof typeof LANGUAGES, name: string): Promise<string> {
    const output = join(folder.path, language, name)
    const options = ['generate', '-g', language, '-i', join(folder.path, `${name}.json`), '-o', output, ...LANGUAGES[language]]
    await run('java', ['-jar', join(jar, `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`), ...options], folder.path)
    return output
  }

  it.each(DOCUMENTS)(
    'give a client in Java that compiles: %s',
    async (name) => {
      await run('mvn', ['-q', '-B', '-DskipTests', 'compile'], await generate('java', name))
      reportFigure(`client in Java of ${name}.json`, 'compiles')
    },
    1_200_000,
  )

  it.each(DOCUMENTS)(
    'give a client in Rust that compiles: %s',
    async (name) => {
      await run('cargo', ['check', '--target-dir', join(folder.path, 'target')], await generate('rust', name))
      reportFigure(`client in Rust of ${name}.json`, 'compiles')
    },
    1_200_000,
  )
})
