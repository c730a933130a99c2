// In a frame: tells the page around it what has happened, and opens the bank in a window of its own. In that window: offers to close it.
// Without it the form opens a tab, and a link there asks for the status. The element gives the frame its own page's address as its name.
const FAST_MS = 3_000
const SLOW_MS = 10_000
const FAST_TURNS = 60
const LAST_TURN = 300

const root = document.documentElement
const origins = (root.dataset.frameOrigins ?? '').split(' ')
const around = findPageAround()

/** Address of the page around the frame, if it is of a listed origin. */
function findPageAround() {
  const [mark, address] = globalThis.name.split(' ')
  if (parent === globalThis || mark !== 'countinghouse-link' || !URL.canParse(address)) return null
  return origins.includes(new URL(address).origin) ? new URL(address) : null
}

/** NOTE with a `*` any page that came to hold the frame could listen. */
function tell(event, detail) {
  if (around) parent.postMessage({ source: 'countinghouse-link', event, detail }, around.origin)
}

/** Of what is shown. NOTE the document is never lower than its frame, which would keep the height of the longest page. */
function tellHeight() {
  tell('height', Math.ceil(document.body.getBoundingClientRect().height))
}

if (around) root.dataset.framed = ''
const { frameEvent, frameDetail } = root.dataset
if (frameEvent) {
  tellHeight()
  tell(frameEvent, JSON.parse(frameDetail))
  new ResizeObserver(tellHeight).observe(document.body)
}

async function update(waiting) {
  const response = await fetch(waiting.dataset.news, { credentials: 'same-origin', headers: { accept: 'application/json' } })
  if (!response.ok) return
  const { next } = await response.json()
  if (next) location.assign(next)
}

function follow(waiting, turn) {
  if (turn > LAST_TURN) return
  setTimeout(
    async () => {
      // A failed look is no news: the next one tells.
      await update(waiting).catch(() => undefined)
      follow(waiting, turn + 1)
    },
    turn < FAST_TURNS ? FAST_MS : SLOW_MS,
  )
}

const form = document.querySelector('#outside')
form?.addEventListener('submit', (event) => {
  if (event.submitter?.formTarget === '_top') {
    if (around) form.elements.back.value = around.href
    return
  }
  const target = `countinghouse-${Date.now()}`
  const opened = open('about:blank', target, 'popup,width=560,height=760')
  document.querySelector('#blocked').hidden = Boolean(opened)
  if (!opened) {
    event.preventDefault()
    document.querySelector('#blocked button').focus()
    return
  }
  form.elements.back.value = 'window'
  form.target = target
  const waiting = document.querySelector('#waiting')
  if (!waiting.hidden) return
  waiting.hidden = false
  follow(waiting, 0)
})

for (const button of document.querySelectorAll('[data-close]')) {
  button.hidden = false
  button.addEventListener('click', () => close())
}
