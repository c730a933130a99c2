import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Type } from 'typebox'
import { Assert } from 'typebox/value'
import { guideBlock } from '../guides/guide-blocks.ts'
import { until } from '../process/deadline.ts'
import { findFreePort } from '../process/service.ts'

const DEPLOY = resolve(import.meta.dirname, '..', '..', 'deploy')
const Result = Type.Object({ data: Type.Object({ result: Type.Array(Type.Object({ value: Type.Array(Type.Unknown()) })) }) })
const Dashboard = Type.Object({
  panels: Type.Array(
    Type.Object({
      title: Type.String(),
      fieldConfig: Type.Object({ defaults: Type.Object({ noValue: Type.Optional(Type.String()) }) }),
      targets: Type.Array(Type.Object({ expr: Type.String() })),
    }),
  ),
})

export interface Prometheus {
  /** Values of a query; empty if there is no data. */
  query(expression: string): Promise<string[]>
  close(): Promise<void>
}

/** Starts Debian's Prometheus with the guide's configuration and the alert rules of `deploy`. */
export async function startPrometheus(root: string, targets: readonly string[]): Promise<Prometheus> {
  const port = await findFreePort()
  const folder = join(root, 'prometheus')
  await mkdir(folder)
  const configured = guideBlock('monitoring.md', 'scrape_configs')
    .replace(/targets: \[.*\]/, `targets: [${targets.map((target) => `'${target}'`).join(', ')}]`)
    .replace('/etc/prometheus', join(root, 'etc/prometheus'))
  const general = `global:\n  scrape_interval: 1s\n  evaluation_interval: 1s\nrule_files: ['${join(DEPLOY, 'prometheus', 'alerts.yml')}']\n`
  await writeFile(join(folder, 'prometheus.yml'), `${general}${configured}`)
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]
  const child = spawn('/usr/bin/prometheus', args, { stdio: 'ignore' })
  const ended = once(child, 'close')
  const get = async (path: string) => await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null)
  await until('Prometheus', async () => ((await get('/-/ready'))?.status === 200 ? true : null))
  return {
    query: async (expression) => {
      const answer: unknown = await (await get(`/api/v1/query?query=${encodeURIComponent(expression)}`))?.json()
      Assert(Result, answer)
      return answer.data.result.map(({ value }) => String(value[1]))
    },
    close: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** The queries of all panels of the dashboards in `deploy`, but of those that say what it means that they are empty. */
export async function dashboardQueries(): Promise<{ title: string; expr: string }[]> {
  const names = await readdir(join(DEPLOY, 'grafana'))
  const all = await Promise.all(
    names.map(async (name) => {
      const dashboard: unknown = JSON.parse(await readFile(join(DEPLOY, 'grafana', name), 'utf8'))
      Assert(Dashboard, dashboard)
      const wanted = dashboard.panels.filter(({ fieldConfig }) => fieldConfig.defaults.noValue === undefined)
      return wanted.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })))
    }),
  )
  return all.flat()
}
