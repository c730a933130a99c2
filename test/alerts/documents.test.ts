import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Type } from 'typebox'
import { Assert } from 'typebox/value'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { databaseForTests } from '../harness/for-tests.ts'
import { allFamilies } from '../metrics/all-families.ts'
import { lacksPromtool, promtool, promtoolNote } from '../metrics/promtool.ts'
import { RULES } from './recording.ts'

const ROOT = resolve(import.meta.dirname, '..', '..')
const DASHBOARDS = join(ROOT, 'deploy', 'grafana')
const Rules = Type.Object({
  groups: Type.Array(
    Type.Object({
      rules: Type.Array(
        Type.Object({
          alert: Type.String(),
          expr: Type.String(),
          labels: Type.Object({ severity: Type.Union([Type.Literal('critical'), Type.Literal('warning')]) }),
          annotations: Type.Object({ summary: Type.String(), runbook: Type.String() }),
        }),
      ),
    }),
  ),
})
const Dashboard = Type.Object({
  uid: Type.String(),
  title: Type.String(),
  panels: Type.Array(Type.Object({ title: Type.String(), targets: Type.Array(Type.Object({ expr: Type.String() })) })),
})

const home = databaseForTests()
let families: string[]
let labels: Set<string | undefined>
beforeAll(async () => {
  const { text, names } = await allFamilies(home.database)
  families = names
  labels = new Set([...text.matchAll(/(\w+)="/g)].map(([, label]) => label))
})

function readRules() {
  const rules: unknown = parse(readFileSync(RULES, 'utf8'))
  Assert(Rules, rules)
  return rules.groups.flatMap((group) => group.rules)
}

function readDashboards() {
  return readdirSync(DASHBOARDS).map((name) => {
    const dashboard: unknown = JSON.parse(readFileSync(join(DASHBOARDS, name), 'utf8'))
    Assert(Dashboard, dashboard)
    return dashboard
  })
}

/** Metrics and labels in an expression that do not exist. */
function unknownNames(expr: string): string[] {
  const bare = expr.replaceAll(/"[^"]*"/g, '""')
  const named = [...bare.matchAll(/\b(?:countinghouse|http|nodejs|process)_\w+/g)].map(([name]) => name)
  const known = (name: string) => families.includes(name) || families.includes(name.replace(/_(bucket|count|sum)$/, ''))
  const matchers = [...bare.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = '']) =>
    [...inside.matchAll(/(\w+)\s*[=!]/g)].map(([, name]) => name),
  )
  const grouped = [...bare.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inside = '']) => inside.split(',').map((name) => name.trim()))
  const isLabel = (name: string | undefined) => labels.has(name) || name === 'job' || name === 'instance'
  return [...named.filter((name) => !known(name)), ...[...matchers, ...grouped].filter((name) => !isLabel(name)).map(String)]
}

describe('the alert rules', () => {
  it.skipIf(lacksPromtool)(`are valid according to promtool${promtoolNote}`, () => {
    const { code, output } = promtool(['check', 'rules', RULES])
    expect([code, output]).toEqual([0, expect.stringContaining('SUCCESS')])
  })

  it('name metrics and labels that exist', () => {
    const rules = readRules()
    expect(rules.length).toBeGreaterThan(15)
    expect(rules.flatMap(({ expr }) => unknownNames(expr))).toEqual([])
    expect(unknownNames('sum by (nobody) (countinghouse_nothing{no="1"})')).toEqual(['countinghouse_nothing', 'no', 'nobody'])
  })

  it('each have a section in the runbook, which has no other sections', () => {
    const runbook = readFileSync(join(ROOT, 'docs', 'guides', 'runbook.md'), 'utf8')
    const headings = [...runbook.matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name)
    const rules = readRules()
    expect(headings.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted())
    for (const { alert, annotations } of rules) expect(annotations.runbook).toBe(`docs/guides/runbook.md#${alert.toLowerCase()}`)
  })
})

describe('the dashboards', () => {
  const queries = () => readDashboards().flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)))

  it('query metrics and labels that exist', () => {
    expect(queries().length).toBeGreaterThan(40)
    expect(queries().flatMap(unknownNames)).toEqual([])
  })

  it('show every metric of our own that is not a detail of another', () => {
    const shown = queries().join(' ')
    const own = families.filter((name) => name.startsWith('countinghouse_'))
    expect(own.filter((name) => !shown.includes(name))).toEqual([])
  })

  it.skipIf(lacksPromtool)(`have queries that Prometheus can read${promtoolNote}`, () => {
    const rules = queries().map((expr, index) => ({ record: `query:${index}`, expr }))
    const folder = mkdtempSync(join(tmpdir(), 'queries-'))
    const file = join(folder, 'queries.yml')
    writeFileSync(file, stringify({ groups: [{ name: 'queries', rules }] }))
    const { code, output } = promtool(['check', 'rules', file])
    rmSync(folder, { recursive: true })
    expect([code, output]).toEqual([0, expect.stringContaining(`SUCCESS: ${rules.length} rules found`)])
  })
})

it('the list of metrics names each metric of our own', () => {
  const list = readFileSync(join(ROOT, 'docs', 'metrics.md'), 'utf8')
  const own = families.filter((name) => name.startsWith('countinghouse_') && !/_pool_/.test(name))
  expect(own.filter((name) => !list.includes(`\`${name}\``))).toEqual([])
})
