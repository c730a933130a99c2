// Searches the documentation in the browser: the index is loaded with the first word; no word leaves the page.
import MiniSearch from 'minisearch'

const MOST = 30
/** The reference is rendered by the server, so it is not in the index that was built. */
const OPERATIONS = '/docs/reference/operations.json'
const status = document.querySelector('#search-status')
const list = document.querySelector('#search-results')
const field = document.querySelector('#search')
const { index: indexAddress } = document.querySelector('main').dataset
let loading = null

function load() {
  loading ??= Promise.all([read(indexAddress), read(OPERATIONS)]).then(([{ options, index }, operations]) => {
    const made = MiniSearch.loadJS(index, options)
    made.addAll(operations.map((operation, at) => ({ id: `operation-${at}`, ...operation })))
    return made
  })
  return loading
}

async function read(address) {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(String(answer.status))
  return await answer.json()
}

async function show() {
  const words = field.value.trim()
  list.replaceChildren()
  if (words === '') {
    status.textContent = ''
    return
  }
  try {
    const index = await load()
    // Typed on in the meantime.
    if (words !== field.value.trim()) return
    const found = index.search(words, { prefix: true, fuzzy: 0.15, boost: { title: 4, heading: 3 }, combineWith: 'AND' })
    status.textContent = sayCount(found.length, words)
    list.replaceChildren(...found.slice(0, MOST).map(toItem))
  } catch {
    loading = null
    status.textContent = 'The search could not be loaded. Try again, or use the menu.'
  }
}

function sayCount(count, words) {
  if (count === 0) return `Nothing found for “${words}”.`
  if (count === 1) return 'One result.'
  return count > MOST ? `The best ${MOST} of ${count} results.` : `${count} results.`
}

function toItem({ title, heading, path, excerpt }) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = path
  link.textContent = heading === '' ? title : `${title}: ${heading}`
  const text = document.createElement('p')
  text.textContent = excerpt
  item.append(link, text)
  return item
}

field.value = new URLSearchParams(location.search).get('q') ?? ''
field.addEventListener('input', () => {
  history.replaceState(null, '', `?${new URLSearchParams({ q: field.value })}`)
  show()
})
field.form.addEventListener('submit', (event) => {
  event.preventDefault()
  show()
})
show()
