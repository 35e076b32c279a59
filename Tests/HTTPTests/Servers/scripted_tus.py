"""A tus server in memory that errs as it is told: POST /script. Prints its port; ends when its input does.

A rule answers the next requests of its method in the server's place: with a status and fields, or by closing the
connection ("drop"); "store" takes so many bytes of the body all the same; "damage" flips a bit of them on their way.
"""
import base64, hashlib, json, os, re, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

lock = threading.Lock()
state = {'features': {}, 'rules': [], 'digest': True, 'forgets': False}
uploads, objects, log = {}, {}, []


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def reply(self, status, headers=None, body=b''):
        self.send_response_only(status)
        for name, value in (headers or {}).items():
            self.send_header(name, str(value).replace('PORT', str(self.server.server_port)))
        if status != 204 and 'Content-Length' not in (headers or {}):
            self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        with lock:
            self.answer(body)

    do_GET = do_HEAD = do_POST = do_PATCH = do_DELETE = do_OPTIONS = do_PUT = handle_any

    def answer(self, body):
        if self.path == '/script':
            state.update(json.loads(body))
            return self.reply(204)
        if self.path == '/log':
            return self.reply(200, body=json.dumps(log).encode())
        headers = {name.lower(): value for name, value in self.headers.items()}
        log.append({'method': self.command, 'path': self.path, 'headers': headers, 'count': len(body)})
        part = 'objects' if self.path.startswith('/objects/') else 'files'
        for rule in state['rules']:
            if rule['method'] == self.command and rule.get('on', 'files') == part and rule.get('times', 1) > 0:
                rule['times'] = rule.get('times', 1) - 1
                if rule.get('damage'):
                    body = bytes([body[0] ^ 1]) + body[1:]
                    break
                if 'store' in rule and self.path in uploads:
                    self.store(self.path, body[:rule['store']])
                if rule.get('drop'):
                    self.close_connection = True
                    return
                return self.reply(rule['status'], rule.get('headers', {}), rule.get('body', '').encode())
        if part == 'objects':
            return self.object(unquote(self.path.removeprefix('/objects/')))
        self.tus(body)

    def store(self, path, body):
        upload = uploads[path]
        upload['data'] += body
        if upload['length'] is not None and len(upload['data']) == upload['length']:
            objects[upload['name']] = upload['data']
            if state['forgets']:
                del uploads[path]

    def checksum(self, body):
        """What is wrong with the body: a status, or None."""
        if 'Upload-Checksum' not in self.headers:
            return None
        name, digest = self.headers['Upload-Checksum'].split(' ')
        if name not in state['features'].get('Tus-Checksum-Algorithm', ''):
            return 400
        return None if base64.b64decode(digest) == hashlib.new(name, body).digest() else 460

    def tus(self, body):
        path, method = self.path.replace('/moved/', '/files/'), self.command
        if method == 'OPTIONS':
            return self.reply(204, {'Tus-Version': '1.0.0', **state['features']})
        expires = {'Upload-Expires': 'Wed, 25 Jun 2031 16:00:00 GMT'}
        if method == 'POST':
            wrong = self.checksum(body)
            if wrong:
                return self.reply(wrong)
            metadata = dict(pair.split(' ') for pair in self.headers['Upload-Metadata'].split(','))
            name = base64.b64decode(metadata['filename']).decode()
            length = self.headers.get('Upload-Length')
            path = f'/files/{len(uploads) + 1}'
            uploads[path] = {'length': None if length is None else int(length), 'data': b'', 'name': name}
            answer = {'Location': path, **expires}
            if body and 'creation-with-upload' in state['features'].get('Tus-Extension', ''):
                self.store(path, body)
                answer['Upload-Offset'] = len(body)
            elif not body:
                self.store(path, b'')
            return self.reply(201, answer)
        if path not in uploads:
            return self.reply(404)
        upload = uploads[path]
        if method == 'DELETE':
            del uploads[path]
            return self.reply(204)
        if method == 'HEAD':
            length = {'Upload-Defer-Length': 1} if upload['length'] is None else {'Upload-Length': upload['length']}
            return self.reply(200, {'Upload-Offset': len(upload['data']), 'Cache-Control': 'no-store', **length})
        if int(self.headers['Upload-Offset']) != len(upload['data']):
            return self.reply(409)
        wrong = self.checksum(body)
        if wrong:
            return self.reply(wrong)
        if upload['length'] is None and 'Upload-Length' in self.headers:
            upload['length'] = int(self.headers['Upload-Length'])
        offset = len(upload['data']) + len(body)
        self.store(path, body)
        self.reply(204, {'Upload-Offset': offset, **expires})

    def object(self, name):
        if self.command == 'DELETE':
            return self.reply(204 if objects.pop(name, None) is not None else 404)
        if name not in objects:
            return self.reply(404, body=b'no such object')
        data = objects[name]
        digest = hashlib.sha256(data).digest()
        headers = {'ETag': f'"{digest.hex()[:16]}"'}
        if state['digest']:
            headers['Repr-Digest'] = f'sha-256=:{base64.b64encode(digest).decode()}:'
        if self.command == 'HEAD':
            return self.reply(200, {**headers, 'Content-Length': len(data)})
        match = re.fullmatch(r'bytes=(\d+)-(\d+)', self.headers.get('Range', ''))
        if match is None or self.headers.get('If-Range', headers['ETag']) != headers['ETag']:
            return self.reply(200, headers, data)
        first, last = int(match[1]), min(int(match[2]), len(data) - 1)
        if first >= len(data):
            return self.reply(416, {'Content-Range': f'bytes */{len(data)}'})
        headers['Content-Range'] = f'bytes {first}-{last}/{len(data)}'
        self.reply(206, headers, data[first:last + 1])


server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
