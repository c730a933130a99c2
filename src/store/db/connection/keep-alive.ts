/** Options of a connection whose other end is missed after 15 s while it is idle, when nobody says that the network is broken. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 }
