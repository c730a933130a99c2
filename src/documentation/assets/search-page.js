// The page of all results.
import { find, sayCount, titleOf } from './find.js'

const MOST = 30

export function startSearchPage() {
  const status = document.querySelector('#search-status')
  const list = document.querySelector('#search-results')
  const field = document.querySelector('#search')

  async function show() {
    const words = field.value.trim()
    list.replaceChildren()
    status.textContent = ''
    if (words === '') return
    try {
      const found = await find(words)
      // Typed on in the meantime.
      if (words !== field.value.trim()) return
      status.textContent = sayCount(found.length, words, MOST)
      list.replaceChildren(...found.slice(0, MOST).map(toItem))
    } catch {
      status.textContent = 'The search could not be loaded. Try again, or use the menu.'
    }
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
}

function toItem(result) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = result.path
  link.textContent = titleOf(result)
  const text = document.createElement('p')
  text.textContent = result.excerpt
  item.append(link, text)
  return item
}
