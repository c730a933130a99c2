import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Lock {
  packages: Record<string, { engines?: { node?: string } }>
}

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const [, ours = ''] = /^>=(.+)$/.exec(JSON.parse(read('package.json')).engines.node) ?? []

/** Version as a number that can be compared. */
function toNumber(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0)
  return (major * 1_000 + minor) * 1_000 + patch
}

/** Whether a range of the forms that packages use takes our oldest Node. */
function takesOurs(range: string): boolean {
  return range.split('||').some((alternative) => {
    const [, operator = '', from = ''] = /^\s*(>=|>|\^|~|v)?\s*([\d.x*]+)/.exec(alternative) ?? []
    const isReached = from === '*' || toNumber(from) <= toNumber(ours)
    const isOpen = operator.startsWith('>') || from === '*'
    return isReached && (isOpen || Number.parseInt(from, 10) === Number.parseInt(ours, 10))
  })
}

it('npm warns of no package on the oldest Node that the README names, but those that it names too', () => {
  const { packages }: Lock = JSON.parse(read('package-lock.json'))
  const readme = read('README.md')
  expect(readme).toContain(`Node ${ours.split('.').slice(0, 2).join('.')} or newer`)
  const newer = Object.entries(packages).filter(([, { engines }]) => engines?.node !== undefined && !takesOurs(engines.node))
  const families = new Set(newer.map(([path]) => path.replace(/^node_modules\//, '').replace(/\/.*$/, '')))
  expect([...families].filter((family) => !readme.includes(`\`${family}\``))).toEqual([])
})
