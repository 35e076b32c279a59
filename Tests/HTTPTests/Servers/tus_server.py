"""tuspyserver on loopback: tus_server.py FOLDER; prints its port. Ends when its input does.

A process of its own serves, and another one takes its place when it is killed. Whole uploads are objects below
/objects/, named by their metadata. POST /control says how requests are answered from then on.
"""
import asyncio, base64, glob, hashlib, json, os, signal, socket, subprocess, sys, threading

folder = sys.argv[1]


def supervise():
    listener = socket.socket()
    listener.bind(('127.0.0.1', 0))
    listener.listen(128)
    print(listener.getsockname()[1], flush=True)
    children = []

    def watch():
        sys.stdin.read()
        children[-1].kill()
        os._exit(0)

    while True:
        command = [sys.executable, __file__, folder, str(listener.fileno())]
        children.append(subprocess.Popen(command, pass_fds=[listener.fileno()], stdin=subprocess.PIPE,
                                         stdout=subprocess.DEVNULL))
        if len(children) == 1:
            threading.Thread(target=watch, daemon=True).start()
        children[-1].wait()


class Control:
    """Answers for the server where it is told to."""

    def __init__(self, app):
        self.app, self.settings, self.log = app, {}, []
        self.events = {'/reached': asyncio.Event(), '/gone': asyncio.Event()}

    async def reply(self, send, status, body=b'', headers=()):
        await send({'type': 'http.response.start', 'status': status,
                    'headers': [(b'content-length', str(len(body)).encode()), *headers]})
        await send({'type': 'http.response.body', 'body': body})

    async def __call__(self, scope, receive, send):
        if scope['type'] != 'http':
            return await self.app(scope, receive, send)
        if scope['path'] == '/control':
            body = b''
            while True:
                message = await receive()
                body += message.get('body', b'')
                if not message.get('more_body'):
                    break
            self.settings.update(json.loads(body))
            return await self.reply(send, 204)
        if scope['path'] == '/log':
            return await self.reply(send, 200, json.dumps(self.log).encode())
        if scope['path'] in self.events:
            await self.events[scope['path']].wait()
            return await self.reply(send, 204)
        headers = {name.decode(): value.decode('latin-1') for name, value in scope['headers']}
        self.log.append(' '.join([scope['method'], scope['path'], headers.get('upload-offset', '')]).strip())
        while self.settings.get('mode') == 'hanging':
            await asyncio.sleep(0.02)
        mode = self.settings.get('mode')
        if mode == 'unavailable':
            return await self.reply(send, 500)
        if mode == 'unauthorized':
            return await self.reply(send, 401)
        if mode == 'limited':
            return await self.reply(send, 429, headers=[(b'retry-after', b'7')])
        if scope['method'] == 'PATCH':
            if 'type' in self.settings:
                # As a proxy does that rewrites what it does not know.
                scope['headers'] = [(name, self.settings['type'].encode() if name == b'content-type' else value)
                                    for name, value in scope['headers']]
            receive = self.limited(receive)
        await self.app(scope, receive, send)

    def limited(self, receive):
        """Bytes up to a limit: then the process dies, or nothing comes until the client has gone."""
        die, cut = self.settings.pop('die', None), self.settings.pop('cut', None)
        count = 0

        async def limited():
            nonlocal count
            if die is not None and count >= die:
                os.kill(os.getpid(), signal.SIGKILL)
            if cut is not None and count >= cut:
                self.events['/reached'].set()
                while (await receive())['type'] != 'http.disconnect':
                    pass
                self.events['/gone'].set()
                return {'type': 'http.disconnect'}
            message = await receive()
            limit = die if die is not None else cut
            if limit is not None and message['type'] == 'http.request':
                message = {**message, 'body': message.get('body', b'')[:limit - count], 'more_body': True}
                count += len(message['body'])
            return message

        return limited


def serve():
    import uvicorn
    from fastapi import FastAPI, Request, Response
    from starlette.responses import FileResponse
    from tuspyserver import create_tus_router

    app = FastAPI()
    app.include_router(create_tus_router(prefix='files', files_dir=folder, max_size=1_000_000, days_to_keep=1))
    control = Control(app)

    def find(name):
        found = []
        for path in glob.glob(os.path.join(folder, '*.info')):
            with open(path) as file:
                info = json.load(file)
            if info['metadata'].get('filename') == name and info['offset'] == info['size']:
                found.append((os.path.getmtime(path), path.removesuffix('.info')))
        return max(found)[1] if found else None

    @app.api_route('/objects/{name:path}', methods=['GET', 'HEAD'])
    def read(name: str):
        path = find(name)
        if path is None:
            return Response(status_code=404)
        headers = {}
        if control.settings.get('digest'):
            with open(path, 'rb') as file:
                digest = base64.b64encode(hashlib.sha256(file.read()).digest()).decode()
            headers['Repr-Digest'] = f'sha-256=:{digest}:'
        return FileResponse(path, headers=headers)

    @app.put('/objects/{name:path}')
    async def write(name: str, request: Request):
        with open(find(name), 'wb') as file:
            file.write(await request.body())
        return Response(status_code=204)

    @app.delete('/objects/{name:path}')
    def delete(name: str):
        path = find(name)
        if path is None:
            return Response(status_code=404)
        os.remove(path + '.info')
        os.remove(path)
        return Response(status_code=204)

    def watch():
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()
    server = uvicorn.Server(uvicorn.Config(control, log_level='critical'))
    server.run(sockets=[socket.socket(fileno=int(sys.argv[2]))])


supervise() if len(sys.argv) == 2 else serve()
