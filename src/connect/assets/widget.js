// Opens a provider's window on our page and takes what it hands over to our callback. Without scripts the page says what is missing.
const LATE_MS = 20_000

const form = document.querySelector('#widget-result')
const notes = [...document.querySelectorAll('[data-widget-note]')]
let isOver = false

/** Shows one of the notes of the page and hides the others. */
function show(name) {
  for (const note of notes) note.hidden = note.dataset.widgetNote !== name
  if (name === 'failed') document.querySelector('#widget-failed')?.focus()
}

function finish(fields) {
  if (isOver) return
  isOver = true
  show('finishing')
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'form' || name === 'state' || typeof value !== 'string') continue
    const input = document.createElement('input')
    input.type = 'hidden'
    input.name = name
    input.value = value
    form.append(input)
  }
  // Not `form.submit`: a field may have that name.
  HTMLFormElement.prototype.submit.call(form)
}

function cancel() {
  if (isOver) return
  isOver = true
  location.assign(document.querySelector('#widget-back').href)
}

function fail() {
  if (!isOver) show('failed')
}

async function open() {
  show('open')
  try {
    await globalThis.countinghouseGlue(JSON.parse(form.dataset.params), finish, cancel)
  } catch (error) {
    reportError(error)
    fail()
  }
}

function load(address) {
  show('opening')
  const late = setTimeout(fail, LATE_MS)
  const script = document.createElement('script')
  script.src = address
  script.addEventListener('load', () => {
    clearTimeout(late)
    open()
  })
  script.addEventListener('error', () => {
    clearTimeout(late)
    fail()
  })
  document.head.append(script)
}

if (form.dataset.script) load(form.dataset.script)
else open()
