import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { median } from '../statistics.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')
const CONNECTORS = join(ROOT, 'src', 'connectors')

/**
 * Processor time that the sources add to the start of a process, in milliseconds: for their descriptions, as loaded by
 * the registry, and for all their code, which is loaded on use. Both are relative to a process that loads the contract
 * and what every process of the service loads anyway (TypeBox); types are stripped beforehand, as main.ts caches them.
 */
export async function timeStartUp(rounds: number): Promise<{ descriptionsMs: number; codeMs: number; sources: number }> {
  const contract = `await import('${CONNECTORS}/contract/contract.ts'); await import('typebox'); await import('typebox/compile'); await import('typebox/value')`
  const registry = `${contract}; const { connectors } = await import('${CONNECTORS}/registry.ts')`
  const all = `${registry}; for (const each of connectors) await each.load()`
  const times: { contract: number[]; registry: number[]; all: number[] } = { contract: [], registry: [], all: [] }
  await timeScript(all)
  for (let round = 0; round < rounds; round++) {
    times.contract.push(await timeScript(contract))
    times.registry.push(await timeScript(registry))
    times.all.push(await timeScript(all))
  }
  const { stdout } = await run(
    process.execPath,
    [...process.execArgv, '--input-type=module', '-e', `${registry}; console.log(connectors.length)`],
    { cwd: ROOT },
  )
  const base = median(times.contract)
  return { descriptionsMs: median(times.registry) - base, codeMs: median(times.all) - base, sources: Number(stdout) }
}

/**
 * Processor time inside the process: Node's own start is the same for all, and other load on the machine does not
 * count.
 */
async function timeScript(script: string): Promise<number> {
  const timed = `const at = process.cpuUsage(); ${script}; const { user, system } = process.cpuUsage(at); console.log((user + system) / 1000)`
  const env = { ...process.env, NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'compiled') }
  const { stdout } = await run(process.execPath, [...process.execArgv, '--input-type=module', '-e', timed], { env, cwd: ROOT })
  return Number(stdout)
}
