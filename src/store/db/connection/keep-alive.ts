/**
 * Options of a connection whose other end is missed after 15 s while it is idle, when nobody says that the network is
 * broken: ten probes follow the delay, one a second.
 * Source: https://docs.libuv.org/en/v1.x/tcp.html#c.uv_tcp_keepalive
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 }
