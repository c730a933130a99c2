import type { ConnectorDescription } from '../../src/connectors/contract/contract.ts'
import { toTable } from './write-docs-mapping.ts'

const BEGIN = '<!-- Sources: written by `npm run docs` from the code. -->'
const END = '<!-- End of sources. -->'

/** Rows of the table in order; each takes the sources that no earlier row has taken. */
const ROWS: readonly [title: string, takes: (description: ConnectorDescription) => boolean][] = [
  ['accounting, the owner signs in', ({ category, link }) => category === 'Accounting' && link === 'redirect'],
  ['accounting, address and login', ({ category }) => category === 'Accounting'],
  ['aggregators, on a page of theirs', ({ route, link }) => route === 'aggregator' && link === 'redirect'],
  ['aggregators, in their widget on our page', ({ route, link }) => route === 'aggregator' && link === 'widget'],
  ['aggregators, by a token', ({ route }) => route === 'aggregator'],
  ['banks and core banking systems, the owner signs in', ({ link }) => link === 'redirect'],
  ['banks and core banking systems, login or key', ({ link }) => link === 'form'],
  ['files', () => true],
]

/** Connectors that are not sources themselves. */
const BY_PROFILE = [
  ['any bank that speaks FDX 4 to 6', '[by a profile, without code](src/connectors/fdx/README.md)'],
  ['a bank’s own API (Alkami, Temenos, Finxact, in-house)', '[by a profile, without code](docs/bank-api-profiles.md)'],
]

/** The README with its table of sources, from the registry. Throws if a marker is missing. */
export function describeReadme(readme: string, connectors: readonly ConnectorDescription[]): string {
  const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error('the README lacks the markers of its table of sources')
  return `${readme.slice(0, begin + BEGIN.length)}\n\n${describeTable(connectors)}\n\n${readme.slice(end)}`
}

function describeTable(connectors: readonly ConnectorDescription[]): string {
  const rows = Map.groupBy(connectors, (each) => ROWS.find(([, takes]) => takes(each))?.[0])
  const named = ROWS.flatMap(([title]) => {
    const names = rows.get(title)?.map(({ name, entities }) => (entities.includes('Transactions') ? name : `${name}*`)) ?? []
    return names.length === 0 ? [] : [[title, names.join(', ')]]
  })
  return toTable(['connection', 'sources'], [...named, ...BY_PROFILE])
}
