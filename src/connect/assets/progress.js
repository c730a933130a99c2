// Follows the first reading on the last page. Without it the page is complete too: a link there asks for the status.
const FAST_MS = 2_000
const SLOW_MS = 6_000
const FAST_TURNS = 20
const LAST_TURN = 120

const clock = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: 'short' })

function showLocalTimes() {
  for (const time of document.querySelectorAll('time[datetime]')) time.textContent = clock.format(new Date(time.dateTime))
}

function isMoving() {
  return document.querySelector('#progress[data-moving]') !== null
}

async function update() {
  const response = await fetch(location.href, { credentials: 'same-origin' })
  if (!response.ok) return
  const next = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('#progress')
  const current = document.querySelector('#progress')
  if (!next || !current) return
  const states = (place) => [...place.querySelectorAll('.state')].map((state) => state.className).join()
  if (states(next) === states(current)) return
  current.innerHTML = next.innerHTML
  current.toggleAttribute('data-moving', next.hasAttribute('data-moving'))
  showLocalTimes()
}

function follow(turn) {
  if (!isMoving() || turn > LAST_TURN) return
  setTimeout(
    async () => {
      // A failed look is no news: the next one tells.
      if (!document.hidden) await update().catch(() => undefined)
      follow(document.hidden ? turn : turn + 1)
    },
    turn < FAST_TURNS ? FAST_MS : SLOW_MS,
  )
}

showLocalTimes()
follow(0)
