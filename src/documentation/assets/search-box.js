// Results below the search field of each page while one types: arrow keys go through them, Enter opens one, or the page
// of all results from the field itself.
import { find, sayCount, titleOf } from './find.js'

const MOST = 8

export function startSearchBox() {
  const field = document.querySelector('#search')
  const box = field.closest('search')
  const status = Object.assign(document.createElement('p'), { role: 'status' })
  const list = document.createElement('ul')
  const found = Object.assign(document.createElement('div'), { className: 'found', hidden: true })
  found.append(status, list)
  const hint = Object.assign(document.createElement('kbd'), { className: 'key-hint', textContent: '/', ariaHidden: 'true' })
  box.append(hint, found)

  async function show() {
    const words = field.value.trim()
    found.hidden = words === ''
    hint.hidden = words !== ''
    if (words === '') return
    try {
      const results = await find(words)
      if (words !== field.value.trim()) return
      status.textContent = sayCount(results.length, words, MOST)
      list.replaceChildren(...results.slice(0, MOST).map(toItem))
    } catch {
      status.textContent = 'The search could not be loaded. Try again, or use the menu.'
    }
  }

  field.addEventListener('input', show)
  field.addEventListener('focus', () => {
    if (field.value.trim() !== '') show()
  })
  box.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')]
    const at = links.indexOf(document.activeElement)
    if (event.key === 'Escape') {
      found.hidden = true
      field.focus()
      found.hidden = true
    } else if (event.key === 'ArrowDown' && links.length > 0) {
      event.preventDefault()
      links[Math.min(at + 1, links.length - 1)].focus()
    } else if (event.key === 'ArrowUp' && at >= 0) {
      event.preventDefault()
      if (at === 0) field.focus()
      else links[at - 1].focus()
    }
  })
  document.addEventListener('focusin', ({ target }) => {
    if (!box.contains(target)) found.hidden = true
  })
  document.addEventListener('click', ({ target }) => {
    if (!box.contains(target)) found.hidden = true
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, select') !== null
    const isWanted = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey))
    if (!isWanted) return
    event.preventDefault()
    field.focus()
    field.select()
  })
}

function toItem(result) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = result.path
  const text = document.createElement('small')
  text.textContent = result.excerpt
  link.append(titleOf(result), text)
  item.append(link)
  return item
}
