// Follows the first reading on the last page. Without it the page is complete too: a link there asks for the status.
const FAST_MS = 2_000
const SLOW_MS = 6_000
const FAST_TURNS = 20
const LAST_TURN = 120

const { lang, dataset } = document.documentElement
const clock = new Intl.DateTimeFormat(lang === 'en' ? 'en-CA' : lang, {
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
  timeZone: dataset.zone,
})
const section = document.querySelector('#progress')

function showTimes(place, times) {
  const spans = times.map(({ label, at }, index) => {
    const span = document.createElement('span')
    const time = document.createElement('time')
    time.dateTime = at
    time.textContent = clock.format(new Date(at))
    span.append(`${index > 0 ? ' · ' : ''}${label} `, time)
    return span
  })
  place.replaceChildren(...spans)
}

function show({ id, state, stateText, counts, times }) {
  const place = section.querySelector(`[data-connection="${CSS.escape(id)}"]`)
  const shown = place?.querySelector('.state')
  if (!shown) return
  place.querySelector('.counts').textContent = counts
  showTimes(place.querySelector('.times'), times)
  if (shown.classList.contains(state)) return
  shown.className = `state ${state}`
  shown.textContent = stateText
  // Said aloud once for each change of state, not for each number.
  const name = place.querySelector('h3').textContent
  document.querySelector('#news').textContent = [name, stateText, counts].filter((part) => part !== '').join('. ')
}

async function update() {
  const response = await fetch(section.dataset.news, { credentials: 'same-origin', headers: { accept: 'application/json' } })
  if (!response.ok) return
  const { isMoving, connections } = await response.json()
  for (const connection of connections) show(connection)
  if (isMoving) return
  delete section.dataset.news
  document.querySelector('#moving')?.remove()
}

function follow(turn) {
  if (!section?.dataset.news || turn > LAST_TURN) return
  setTimeout(
    async () => {
      // A failed look is no news: the next one tells.
      if (!document.hidden) await update().catch(() => undefined)
      follow(document.hidden ? turn : turn + 1)
    },
    turn < FAST_TURNS ? FAST_MS : SLOW_MS,
  )
}

follow(0)
