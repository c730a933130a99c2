// Full-text search in the browser: the index is loaded with the first word; no word leaves the page.
import MiniSearch from 'minisearch'

/** The reference is rendered by the server, so it is not in the index that was built. */
const OPERATIONS = '/docs/reference/operations.json'
let loading = null

function load() {
  loading ??= Promise.all([read(document.body.dataset.index), read(OPERATIONS)]).then(
    ([{ options, index }, operations]) => {
      const made = MiniSearch.loadJS(index, options)
      made.addAll(operations.map((operation, at) => ({ id: `operation-${at}`, ...operation })))
      return made
    },
    (error) => {
      loading = null
      throw error
    },
  )
  return loading
}

async function read(address) {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(String(answer.status))
  return await answer.json()
}

/** Sections of pages that have all words, or words that begin with them or nearly are them; the best first. */
export async function find(words) {
  const index = await load()
  return index.search(words, { prefix: true, fuzzy: 0.15, boost: { title: 4, heading: 3 }, combineWith: 'AND' })
}

export function titleOf({ title, heading }) {
  return heading === '' ? title : `${title}: ${heading}`
}

export function sayCount(count, words, most) {
  if (count === 0) return `Nothing found for “${words}”.`
  if (count === 1) return 'One result.'
  return count > most ? `The best ${most} of ${count} results.` : `${count} results.`
}
