"""wsgidav on loopback: webdav_server.py FOLDER; prints its port. Ends when its input does.

POST /control says how requests are answered from then on.
"""
import json, logging, os, sys, threading

from cheroot import wsgi
from wsgidav.wsgidav_app import WsgiDAVApp

logging.disable(logging.CRITICAL)
app = WsgiDAVApp({'provider_mapping': {'/': sys.argv[1]}, 'simple_dc': {'user_mapping': {'*': True}},
                  'logging': {'enable': False}, 'verbose': 0})
settings, log, changed = {}, [], threading.Condition()


def control(environ, start_response):
    path, method = environ['PATH_INFO'], environ['REQUEST_METHOD']

    def reply(status, body=b'', headers=()):
        start_response(f'{status} X', [('Content-Length', str(len(body))), *headers])
        return [body]

    if path == '/control':
        body = environ['wsgi.input'].read(int(environ['CONTENT_LENGTH']))
        with changed:
            settings.update(json.loads(body))
            changed.notify_all()
        return reply(204)
    if path == '/log':
        return reply(200, json.dumps(log).encode())
    conditions = [environ[name] for name in ('HTTP_IF_MATCH', 'HTTP_IF_NONE_MATCH', 'HTTP_RANGE') if name in environ]
    log.append(' '.join([method, path, *conditions]))
    with changed:
        changed.wait_for(lambda: settings.get('mode') != 'hanging')
    mode = settings.get('mode')
    if mode == 'unavailable':
        return reply(500)
    if mode == 'unauthorized':
        return reply(401)
    if mode == 'limited':
        return reply(429, headers=[('Retry-After', '7')])
    return app(environ, start_response)


server = wsgi.Server(('127.0.0.1', 0), control, numthreads=16)
server.prepare()
print(server.bind_addr[1], flush=True)


def watch():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=watch, daemon=True).start()
server.serve()
