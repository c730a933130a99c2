import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { stringify } from 'yaml'
import { promtool } from '../metrics/promtool.ts'

export const RULES = resolve(import.meta.dirname, '..', '..', 'deploy', 'prometheus', 'alerts.yml')
/** Minutes for which a persistent fault is simulated, from the samples before it to those during it. */
const MINUTES = 30
/** During the fault, and after the longest `for` of the rules, except that of a pause. */
const EVALUATED_AT = 25
const PAUSE_AT = 40

/** Samples of one scrape, by series; `up` is 0 if there was no response. */
export type Scrape = ReadonlyMap<string, number>

/** Scrapes a process as Prometheus does, adding the labels `job` and `instance`. */
export async function scrape(instance: string, url: string): Promise<Scrape> {
  const target = `job="countinghouse",instance="${instance}"`
  const text = await fetch(`${url}/metrics`).then(
    async (answer) => (answer.ok ? await answer.text() : null),
    () => null,
  )
  const samples = new Map([[`up{${target}}`, text === null ? 0 : 1]])
  for (const [, name, labels, value] of (text ?? '').matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
    samples.set(`${name}{${labels ? `${labels},` : ''}${target}}`, Number(value))
  }
  return samples
}

/** Names of the alerts that fire between `before` and `during`, as promtool evaluates the rules. */
export async function firingAlerts(before: Scrape, during: Scrape): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'alerts-'))
  try {
    const series = [...new Set([...before.keys(), ...during.keys()])].map((name) => ({
      series: name,
      values: valuesOf(name, before.get(name), during.get(name)),
    }))
    const expr = 'count by (alertname) (ALERTS{alertstate="firing"})'
    // An expectation that is never true makes promtool print the actual samples.
    const ask = [EVALUATED_AT, PAUSE_AT].map((at) => ({ expr, eval_time: `${at}m`, exp_samples: [{ labels: 'nothing{}', value: 0 }] }))
    const tests = [{ interval: '1m', input_series: series, promql_expr_test: ask }]
    const file = join(folder, 'recorded.yml')
    await writeFile(file, stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }))
    const { output } = promtool(['test', 'rules', file])
    if (!output.includes('got:')) throw new Error(output)
    const names = [...output.matchAll(/alertname="(\w+)"/g)].map(([, name = '']) => name)
    return [...new Set(names)].toSorted()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Counters rise linearly; a gauge has the value of the fault from the start. */
function valuesOf(name: string, before: number | undefined, during: number | undefined): string {
  const isCounter = /_(total|count|sum|bucket)\{/.test(name)
  if (during === undefined) return isCounter ? `${before}+0x${MINUTES + 15}` : `${before}`
  if (!isCounter) return `${before ?? during} ${during}+0x${MINUTES + 15}`
  return `${before ?? 0}+${(during - (before ?? 0)) / MINUTES}x${MINUTES} ${during}+0x15`
}
