/**
 * TCP keep-alive: a broken idle connection is noticed after 15 s, although a broken network sends no notice: ten probes
 * follow the delay, one a second.
 * Source: https://docs.libuv.org/en/v1.x/tcp.html#c.uv_tcp_keepalive
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 }
