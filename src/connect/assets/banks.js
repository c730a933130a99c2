// Finds a bank while its name is typed: a combobox whose list stands below the field. Without it the form searches, and shows links.
// Source: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
const PAUSE_MS = 150

const form = document.querySelector('form[data-suggestions]')
const field = document.querySelector('#search')
const list = document.querySelector('#bank-options')
const status = document.querySelector('#bank-status')
const results = document.querySelector('#bank-results')
const model = document.querySelector('#bank-option')
let timer = 0
let asked = new AbortController()
let activeIndex = -1

field.setAttribute('role', 'combobox')
field.setAttribute('aria-autocomplete', 'list')
field.setAttribute('aria-controls', list.id)
field.setAttribute('aria-expanded', 'false')
field.setAttribute('aria-describedby', `${field.getAttribute('aria-describedby')} search-keys`)

/** Puts the mark on one option; -1 takes it away. */
function activate(index) {
  const options = [...list.children]
  activeIndex = index
  for (const [at, option] of options.entries()) option.setAttribute('aria-selected', String(at === index))
  const active = options[index]
  if (active) {
    field.setAttribute('aria-activedescendant', active.id)
    active.scrollIntoView({ block: 'nearest' })
  } else field.removeAttribute('aria-activedescendant')
}

/** Back to what the server had put on the page. */
function close() {
  asked.abort()
  clearTimeout(timer)
  activate(-1)
  list.hidden = true
  list.replaceChildren()
  field.setAttribute('aria-expanded', 'false')
  status.textContent = ''
  results.hidden = false
}

function toOption({ name, title, site, address, logo }, index) {
  const option = model.content.firstElementChild.cloneNode(true)
  option.id = `bank-option-${index}`
  option.dataset.address = address
  option.querySelector('img').src = logo
  option.querySelector('.name').textContent = name
  if (title) option.title = title
  option.querySelector('.site').textContent = site
  return option
}

function show({ status: words, options }) {
  activate(-1)
  list.replaceChildren(...options.map(toOption))
  list.hidden = options.length === 0
  field.setAttribute('aria-expanded', String(options.length > 0))
  status.textContent = words
  results.hidden = true
}

/** Asks for what is typed now. A question that was overtaken is broken off, and its answer comes to nothing. */
async function ask() {
  asked.abort()
  asked = new AbortController()
  const { signal } = asked
  const address = new URL(form.dataset.suggestions, location.href)
  address.searchParams.set('search', field.value)
  try {
    const response = await fetch(address, { signal, credentials: 'same-origin' })
    if (!response.ok) throw new Error(`the list answered ${response.status}`)
    const found = await response.json()
    if (!signal.aborted) show(found)
  } catch {
    // An overtaken question has nothing to say; for all others there is the button.
    if (!signal.aborted) show({ status: status.dataset.unread, options: [] })
  }
}

function choose(option) {
  location.assign(option.dataset.address)
}

field.addEventListener('input', () => {
  if (field.value.trim() === '') return close()
  // What is listed no longer fits what is typed.
  activate(-1)
  clearTimeout(timer)
  timer = setTimeout(ask, PAUSE_MS)
})

const MOVES = {
  ArrowDown: (last) => (activeIndex === last ? 0 : activeIndex + 1),
  ArrowUp: (last) => (activeIndex <= 0 ? last : activeIndex - 1),
  Home: () => 0,
  End: (last) => last,
}

field.addEventListener('keydown', (event) => {
  if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || list.hidden) return
  const move = MOVES[event.key]
  const isInText = activeIndex === -1 && (event.key === 'Home' || event.key === 'End')
  if (move && !isInText) activate(move(list.children.length - 1))
  else if (event.key === 'Enter' && activeIndex >= 0) choose(list.children[activeIndex])
  else if (event.key === 'Escape') close()
  else return
  event.preventDefault()
})

list.addEventListener('click', (event) => {
  const option = event.target.closest('[role=option]')
  if (option) choose(option)
})
